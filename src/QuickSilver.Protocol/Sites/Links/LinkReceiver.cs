using System.Diagnostics;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Sites.Frames;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Sites.Links;

/// <summary>
/// The receiving end of a link: which numbers have come, which are asked for, and when feedback goes. A packet is taken
/// whatever is missing before it. What has come is the cumulative number, the highest, and the holes between them, so
/// memory follows the holes, not the window.
/// </summary>
internal sealed class LinkReceiver(LinkSettings settings, LinkRoundTrip roundTrip, LinkCounters counters)
{
    private const int PacketsForAck = 2;

    private readonly LinkHoles _holes = new(settings, roundTrip);
    private Instant _began;
    private ulong _bytes;
    private ulong _echo;
    private Instant _echoAt;
    private int _unacknowledged;
    private Instant _ackDue = Instant.Never;

    /// <summary>The highest number that has come, or that the sender has said it sent.</summary>
    public ulong Highest { get; private set; }

    /// <summary>All numbers up to it have come.</summary>
    public ulong Cumulative => _holes.Count == 0 ? Highest : _holes.First - 1;

    /// <summary>Numbers that are missing.</summary>
    public int Holes => _holes.Count;

    /// <summary>True when a packet was asked for in vain, so long that the link has failed.</summary>
    public bool HasFailed(Instant now) => _holes.HaveFailed(now);

    /// <summary>Begins again, for a new epoch.</summary>
    public void Reset(Instant now)
    {
        _holes.Clear();
        _began = now;
        _bytes = _echo = Highest = 0;
        _unacknowledged = 0;
        _ackDue = Instant.Never;
    }

    /// <summary>Takes a packet.</summary>
    /// <returns>True when it has come for the first time, and is in the window.</returns>
    public bool Accept(ulong number, int length, Instant now)
    {
        if (number > Cumulative + (ulong)settings.ReceiveWindow)
        {
            counters.Rejects.Count(RejectReason.BeyondWindow);
            return false;
        }
        if (number <= Highest && !_holes.Close(number, now))
        {
            counters.Duplicates++;
            AckAt(now);
            return false;
        }
        if (number > Highest)
        {
            _holes.Open(Highest + 1, number, now, areDue: false);
            Highest = number;
        }
        counters.Received++;
        _bytes += (ulong)length;
        _echo = number;
        _echoAt = now;
        _unacknowledged++;
        AckAt(_unacknowledged >= PacketsForAck ? now : now + settings.AckDelay);
        return true;
    }

    /// <summary>The sender says where its stream ends, and waits for an answer.</summary>
    /// <returns>False when it cannot have sent so much.</returns>
    public bool Linger(ulong highest, Instant now)
    {
        if (highest > Cumulative + (ulong)settings.ReceiveWindow)
        {
            counters.Rejects.Count(RejectReason.BeyondWindow);
            return false;
        }
        if (highest > Highest)
        {
            _holes.Open(Highest + 1, highest + 1, now, areDue: true);
            Highest = highest;
        }
        AckAt(now);
        return true;
    }

    /// <summary>When feedback must go: for what has come, or for what is missing.</summary>
    public Instant NextDue
    {
        get
        {
            Instant holes = _holes.NextDue(Highest);
            return holes < _ackDue ? holes : _ackDue;
        }
    }

    /// <summary>Writes feedback, with the requests that are due; none is owed then.</summary>
    public void WriteFeedback(ref WireWriter writer, Instant now)
    {
        Span<SequenceRange> ranges = stackalloc SequenceRange[LinkFeedback.MaxRanges];
        int count = _holes.TakeDue(Highest, now, ranges, out int asked);
        counters.Nacks += (ulong)asked;
        Debug.Assert(Cumulative <= Highest, "holes are below the highest number");
        new LinkFeedback
        {
            Cumulative = Cumulative,
            Highest = Highest,
            Bytes = _bytes,
            Time = now - _began,
            Echo = _echo,
            Held = _echo > 0 ? now - _echoAt : default,
        }.Write(ref writer, ranges[..count]);
        _unacknowledged = 0;
        _ackDue = Instant.Never;
    }

    private void AckAt(Instant due)
    {
        if (due < _ackDue) _ackDue = due;
    }
}
