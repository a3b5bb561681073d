using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Timed.Sending;

/// <summary>
/// Announces packets that were asked for and are not held any longer, so that nobody goes on asking. At most one
/// announcement in a round trip of the group, to all its regions; what came up meanwhile is in the next. Ranges beyond
/// the limit are dropped: they are asked for again. O(64) an announcement, allocates nothing.
/// </summary>
internal sealed class TimedGone : ITimedWord
{
    // The least wait before a word about what is gone, which collects more of it.
    private static readonly TimeSpan LeastPause = TimeSpan.FromMilliseconds(5);

    private readonly TimedContext _context;
    private readonly TimedStay _group;
    private readonly TimedSender _sender;
    private readonly Alarm _due;
    private readonly ulong[] _asked = new ulong[TimedGoneBody.MaxRanges];
    private readonly SequenceRange[] _ranges = new SequenceRange[TimedGoneBody.MaxRanges];
    private int _count;
    private int _rangeCount;
    private int _viewIndex;
    private bool _isWanted;
    private bool _isQueued;
    private Instant _last;

    public TimedGone(TimedContext context, TimedStay group, TimedSender sender)
    {
        _context = context;
        _group = group;
        _sender = sender;
        _due = new Alarm(context.Mode.Alarms, _ => Queue());
    }

    /// <summary>Takes a packet that was asked for in vain.</summary>
    public void Announce(ulong sequence, Instant now)
    {
        _isWanted = true;
        if (sequence >= _sender.Kept.Oldest && _count < _asked.Length) _asked[_count++] = sequence;
        if (_isQueued || _due.IsSet) return;
        TimeSpan pause = _sender.RoundTrip.Value > LeastPause ? _sender.RoundTrip.Value : LeastPause;
        if (_last != Instant.Zero && now - _last < pause) _due.Set(_last + pause);
        else Queue();
    }

    /// <summary>The views have changed: what is under way is not sent to the rest of them.</summary>
    public void Detach() => _viewIndex = int.MaxValue;

    /// <summary>Ends the timer.</summary>
    public void Close() => _due.Cancel();

    /// <inheritdoc/>
    public bool TryWrite(byte[] room, Instant now, out TimedDatagram word)
    {
        word = default;
        if (_isWanted) Begin(now);
        IReadOnlyList<RegionView> views = _group.ViewsNow(now);
        if (_viewIndex < views.Count)
        {
            RegionView view = views[_viewIndex++];
            var writer = new WireWriter(room.AsSpan(DatagramHeader.Length));
            TimedGoneBody.Write(ref writer, _group.Id.Counter, _ranges.AsSpan(0, _rangeCount));
            int length = DatagramHeader.Length + writer.Written;
            _context.Mode.Header(DatagramKind.TimedGone, view, _sender.Kept.Oldest).WriteTo(room.AsSpan(0, length));
            _context.Counters.GoneSent++;
            word = new TimedDatagram(length, view, null);
            return true;
        }
        _isQueued = false;
        return false;
    }

    private void Queue()
    {
        if (_isQueued || _group.IsClosed) return;
        _isQueued = true;
        _viewIndex = int.MaxValue;
        _context.Words.Add(this);
    }

    // The ranges are those of the moment: what lies below the oldest packet needs none.
    private void Begin(Instant now)
    {
        _isWanted = false;
        _last = now;
        _viewIndex = 0;
        _rangeCount = 0;
        _sender.Kept.Expire(now, _sender.Unsent);
        Span<ulong> asked = _asked.AsSpan(0, _count);
        asked.Sort();
        foreach (ulong sequence in asked)
        {
            if (sequence <= _sender.Kept.Oldest || _sender.Kept.IsHeld(sequence, now)) continue;
            if (_rangeCount > 0 && sequence < _ranges[_rangeCount - 1].End) continue;
            if (_rangeCount > 0 && sequence == _ranges[_rangeCount - 1].End)
                _ranges[_rangeCount - 1] = new SequenceRange(_ranges[_rangeCount - 1].Start, sequence + 1);
            else _ranges[_rangeCount++] = new SequenceRange(sequence, sequence + 1);
        }
        _count = 0;
    }
}
