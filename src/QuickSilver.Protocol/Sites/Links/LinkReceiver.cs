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
internal sealed class LinkReceiver
{
    private const int PacketsForAck = 2;

    private readonly LinkSettings _settings;
    private readonly LinkCounters _counters;
    private readonly LinkHoles _holes;
    private readonly ParitySets _parity;
    private Instant _began;
    private ulong _bytes;
    private ulong _echo;
    private Instant _echoAt;
    private int _unacknowledged;
    private Instant _ackDue = Instant.Never;

    /// <summary>Makes a receiving end that has nothing.</summary>
    public LinkReceiver(LinkSettings settings, LinkRoundTrip roundTrip, LinkCounters counters)
    {
        _settings = settings;
        _counters = counters;
        _holes = new LinkHoles(settings, roundTrip);
        _parity = new ParitySets(settings, _holes, counters.Rejects);
    }

    /// <summary>The highest number that has come, or that the sender has said it sent.</summary>
    public ulong Highest { get; private set; }

    /// <summary>All numbers up to it have come.</summary>
    public ulong Cumulative => _holes.Count == 0 ? Highest : _holes.First - 1;

    /// <summary>Numbers that are missing.</summary>
    public int Holes => _holes.Count;

    /// <summary>Packets of this epoch that were lost, rebuilt and not asked for.</summary>
    public ulong Unasked => _parity.Unasked;

    /// <summary>True when a packet was asked for in vain, so long that the link has failed.</summary>
    public bool HasFailed(Instant now) => _holes.HaveFailed(now);

    /// <summary>Begins again, for a new epoch.</summary>
    public void Reset(Instant now)
    {
        _holes.Clear();
        _parity.Clear();
        _began = now;
        _bytes = _echo = Highest = 0;
        _unacknowledged = 0;
        _ackDue = Instant.Never;
    }

    /// <summary>Takes a packet.</summary>
    /// <returns>True when it has come for the first time, and is in the window.</returns>
    public bool Accept(ulong number, ReadOnlySpan<byte> record, Instant now)
    {
        if (number > Cumulative + (ulong)_settings.ReceiveWindow)
        {
            _counters.Rejects.Count(RejectReason.BeyondWindow);
            return false;
        }
        if (number <= Highest && !_holes.Close(number, now))
        {
            _counters.Duplicates++;
            if (_parity.OnCopy(number)) _bytes += (ulong)record.Length;
            AckAt(now);
            return false;
        }
        if (number > Highest)
        {
            _holes.Open(Highest + 1, number, now, areDue: false);
            Highest = number;
        }
        _counters.Received++;
        _bytes += (ulong)record.Length;
        _echo = number;
        _echoAt = now;
        _parity.Keep(number, record);
        Acknowledge(now);
        return true;
    }

    /// <summary>Takes a parity. All packets of its set were sent before it.</summary>
    /// <returns>False when the other end cannot have sent so much: nothing has changed then.</returns>
    public bool AcceptParity(in ParityBody parity, Instant now)
    {
        if (parity.Last > Cumulative + (ulong)_settings.ReceiveWindow)
        {
            _counters.Rejects.Count(RejectReason.BeyondWindow);
            return false;
        }
        if (parity.Last > Highest)
        {
            _holes.OpenBehind(Highest + 1, parity.Last + 1, now);
            Highest = parity.Last;
            AckAt(now + _settings.AckDelay);
        }
        // The rate of reception is that of all that the pace pays for; a copy is no part of it.
        if (parity.First > _holes.ParityTo) _bytes += (ulong)parity.Parity.Length;
        _holes.ParityTo = Math.Max(_holes.ParityTo, parity.Last);
        _parity.Add(parity);
        return true;
    }

    /// <summary>Rebuilds a packet that is missing, if its set lacks that one alone. It counts as come, but not as one
    /// that the way has carried.</summary>
    /// <param name="number">A packet of the set: what came last.</param>
    /// <param name="record">The record; valid until the next call.</param>
    /// <param name="now">The present instant.</param>
    /// <returns>False when there is nothing to rebuild.</returns>
    public bool TryRebuild(ulong number, out ReadOnlySpan<byte> record, Instant now)
    {
        ulong rebuilt = _parity.Rebuild(number, out record);
        if (rebuilt == 0) return false;
        _parity.Keep(rebuilt, record);
        if (!_holes.Fill(rebuilt)) _parity.CountUnasked(rebuilt);
        _counters.Rebuilt++;
        Acknowledge(now);
        return true;
    }

    /// <summary>The sender says where its stream ends, and waits for an answer.</summary>
    /// <returns>False when it cannot have sent so much.</returns>
    public bool Linger(ulong highest, Instant now)
    {
        if (highest > Cumulative + (ulong)_settings.ReceiveWindow)
        {
            _counters.Rejects.Count(RejectReason.BeyondWindow);
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
        _counters.Nacks += (ulong)asked;
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

    private void Acknowledge(Instant now)
    {
        _unacknowledged++;
        AckAt(_unacknowledged >= PacketsForAck ? now : now + _settings.AckDelay);
    }

    private void AckAt(Instant due)
    {
        if (due < _ackDue) _ackDue = due;
    }
}
