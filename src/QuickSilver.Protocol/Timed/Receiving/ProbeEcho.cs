using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Timed.Receiving;

/// <summary>
/// Answers a sender's probes of the round trip: about four members of a region answer each, drawn by chance; every
/// request carries an answer, too.
/// </summary>
internal sealed class ProbeEcho(TimedContext context, TimedStay group, TimedReceiver receiver) : ITimedWord
{
    private const int Answers = 4;

    private Instant _came;
    private bool _isQueued;
    private bool _isWritten;

    /// <summary>The last probe; 0: none.</summary>
    public ulong Probe { get; private set; }

    /// <summary>Time since the last probe came.</summary>
    public TimeSpan HeldFor(Instant now) => now - _came;

    /// <summary>A probe has come.</summary>
    public void OnProbe(ulong probe, Instant now)
    {
        if (probe == 0) return;
        Probe = probe;
        _came = now;
        if (_isQueued || context.Mode.Random.NextBelow((ulong)Math.Max(Answers, group.MembersHere)) >= Answers) return;
        _isQueued = true;
        _isWritten = false;
        context.Words.Add(this);
    }

    /// <inheritdoc/>
    public bool TryWrite(byte[] room, Instant now, out TimedDatagram word)
    {
        word = default;
        if (!_isWritten && !receiver.IsOver && group.OwnView is { } own && !receiver.Sender.IsRemoved)
        {
            _isWritten = true;
            var writer = new WireWriter(room.AsSpan(DatagramHeader.Length));
            new TimedEchoBody(group.Id.Counter, Probe, HeldFor(now)).WriteTo(ref writer);
            int length = DatagramHeader.Length + writer.Written;
            context.Mode.Header(DatagramKind.TimedEcho, own, receiver.Sender.Number.Key)
                .WriteTo(room.AsSpan(0, length));
            word = new TimedDatagram(length, null, receiver.Sender);
            return true;
        }
        _isQueued = false;
        return false;
    }
}
