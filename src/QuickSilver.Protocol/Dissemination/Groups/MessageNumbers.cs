using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Dissemination.Groups;

/// <summary>
/// The numbers of one group's messages from this node, which go on across steps, leaves and joins, and the step of the last one, which a group's
/// first message in a stream names. A field of <see cref="GroupSender"/>, never copied.
/// </summary>
internal struct MessageNumbers
{
    private StepNumber _lastStep;

    /// <summary>Number of the last message; 0 before the first.</summary>
    public ulong Last { get; private set; }

    /// <summary>Step of the last message; none before the first.</summary>
    public readonly StepNumber LastStep => _lastStep;

    /// <summary>Messages up to a number are bound to a step.</summary>
    public void Advance(ulong last, StepNumber step)
    {
        Last = last;
        // Compared part by part: to copy it whole, right after it was written in parts, would wait for those writes.
        if (_lastStep != step) _lastStep = step;
    }
}
