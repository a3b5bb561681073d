using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Dissemination.Groups;

/// <summary>
/// The numbers of one group's messages from this node, which continue across steps, leaves and joins. Also the step of
/// the last message, which a group's first message in a stream names. A field of <see cref="GroupSender"/>, never
/// copied.
/// </summary>
internal struct MessageNumbers
{
    private StepNumber _lastStep;

    /// <summary>Number of the last message; 0 before the first.</summary>
    public ulong Last { get; private set; }

    /// <summary>Step of the last message; none before the first.</summary>
    public readonly StepNumber LastStep => _lastStep;

    /// <summary>Binds messages up to a number to a step.</summary>
    public void Advance(ulong last, StepNumber step)
    {
        Last = last;
        // Compared part by part: a whole copy right after the parts were written would stall on those writes.
        if (_lastStep != step) _lastStep = step;
    }
}
