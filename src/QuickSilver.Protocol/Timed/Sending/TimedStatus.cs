using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Timed.Sending;

/// <summary>
/// Announces a sender's last packet and its oldest: soon after the last packet, so that its loss is noticed, then ever
/// more rarely while packets are held; and once a second while packets flow. Each announcement probes the round trip. A
/// sender that holds nothing says nothing.
/// </summary>
internal sealed class TimedStatus : ITimedWord
{
    // How soon after its last packet a sender announces it; doubles up to the longest pause.
    private static readonly TimeSpan FirstPause = TimeSpan.FromMilliseconds(50);
    // The longest pause between two announcements while packets are held.
    private static readonly TimeSpan LongestPause = TimeSpan.FromSeconds(1);

    private readonly TimedContext _context;
    private readonly TimedStay _group;
    private readonly TimedSender _sender;
    private readonly Alarm _due;
    private TimeSpan _pause;
    private Instant _lastSent;
    private Instant _lastStatus;
    private bool _isQueued;
    private int _viewIndex;

    public TimedStatus(TimedContext context, TimedStay group, TimedSender sender)
    {
        _context = context;
        _group = group;
        _sender = sender;
        _due = new Alarm(context.Mode.Alarms, OnDue);
        _pause = FirstPause;
    }

    /// <summary>A packet was sent for the first time.</summary>
    public void OnSent(Instant now)
    {
        _lastSent = now;
        _pause = FirstPause;
        _due.SetIfEarlier(now + _pause);
    }

    /// <summary>The views have changed: what is under way is not sent to the rest of them.</summary>
    public void Detach() => _viewIndex = int.MaxValue;

    /// <summary>Ends the timer.</summary>
    public void Close() => _due.Cancel();

    /// <inheritdoc/>
    public bool TryWrite(byte[] room, Instant now, out TimedDatagram word)
    {
        word = default;
        IReadOnlyList<RegionView> views = _group.ViewsNow(now);
        if (_viewIndex < views.Count)
        {
            RegionView view = views[_viewIndex++];
            int length = Write(room, view, now);
            word = new TimedDatagram(length, view, null);
            return true;
        }
        _isQueued = false;
        return false;
    }

    private int Write(byte[] room, RegionView view, Instant now)
    {
        ulong last = _sender.Unsent - 1;
        ref KeptPacket packet = ref _sender.Kept[last];
        int worth = PacketWorth.Of(packet.Head.Importance, packet.Head.IsKeyed && _sender.Settings.Replaces);
        var status = new TimedStatusBody
        {
            Group = _group.Id.Counter,
            Number = packet.Head.Number,
            Place = packet.Head.Place,
            Before = PacketWorth.Push(packet.Head.Before, worth),
            Oldest = Math.Min(_sender.Kept.Oldest, last + 1),
            RoundTrip = _sender.RoundTrip.Value,
            Probe = (ulong)Math.Max(1, now.Ticks / TimeSpan.TicksPerMicrosecond),
        };
        var writer = new WireWriter(room.AsSpan(DatagramHeader.Length));
        status.WriteTo(ref writer, view.Number.Epoch, last);
        int length = DatagramHeader.Length + writer.Written;
        _context.Mode.Header(DatagramKind.TimedStatus, view, last).WriteTo(room.AsSpan(0, length));
        return length;
    }

    private void OnDue(Instant now)
    {
        _sender.Kept.Expire(now, _sender.Unsent);
        bool isSilent = now - _lastSent >= _pause;
        bool isWanted = isSilent || now - _lastStatus >= LongestPause;
        if (isWanted) Queue(now);
        if (isSilent) _pause = _pause * 2 > LongestPause ? LongestPause : _pause * 2;
        if (_sender.Kept.Oldest < _sender.Unsent || !isSilent)
        {
            Instant next = isSilent ? now + _pause : _lastSent + _pause;
            _due.Set(next > now ? next : now + _pause);
        }
    }

    private void Queue(Instant now)
    {
        if (_isQueued || _group.IsClosed || _sender.Unsent == 1) return;
        _lastStatus = now;
        _isQueued = true;
        _viewIndex = 0;
        _context.Words.Add(this);
    }
}
