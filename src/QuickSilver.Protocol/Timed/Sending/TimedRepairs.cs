using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow.Pull;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Modes;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Timed.Sending;

/// <summary>
/// Packets of this node that members asked for. A packet is sent again to each region that asks, at most once in a
/// round trip of the group, while it is kept. The datagram is made when the socket can take it and both buckets are
/// open: what has ended meanwhile is announced as gone. O(1) a repair; allocates nothing once it has grown.
/// </summary>
internal sealed class TimedRepairs : IFeed
{
    private const int Views = 64;

    private readonly TimedContext _context;
    private readonly TimedStay _group;
    private readonly TimedSender _sender;
    private readonly Queue<ulong> _orders = new();
    private readonly Alarm _opens;
    private readonly ViewCast _trains;
    private byte[]? _datagram;
    private ulong _sending;
    private ulong _awaited;
    private NodeInfo? _alsoTo;
    private int _viewIndex;
    private bool _isClosed;

    public TimedRepairs(TimedContext context, TimedStay group, TimedSender sender)
    {
        _context = context;
        _group = group;
        _sender = sender;
        _opens = new Alarm(context.Mode.Alarms, _ => Register());
        _trains = new ViewCast(context.Mode);
    }

    /// <summary>Takes a request for a packet that is held.</summary>
    /// <param name="sequence">The packet.</param>
    /// <param name="view">The view of the asker.</param>
    /// <param name="alsoTo">The asker, when earlier answers did not reach it.</param>
    /// <param name="now">The present instant.</param>
    public void Order(ulong sequence, RegionView view, NodeInfo? alsoTo, Instant now)
    {
        ref KeptPacket packet = ref _sender.Kept[sequence];
        bool isRecent = packet.Repaired != Instant.Zero && now - packet.Repaired < _sender.RoundTrip.Value;
        if (isRecent && alsoTo is null)
        {
            _context.Probes.Reached("a timed packet is asked for that was sent again a moment ago");
            return;
        }
        ulong bit = BitOf(view, now);
        bool isQueued = packet.Awaited != 0;
        packet.Awaited |= bit;
        if (alsoTo is not null) packet.AlsoTo = alsoTo;
        if (isQueued) return;
        _orders.Enqueue(sequence);
        Register();
    }

    /// <summary>Stops what is under way: ways end.</summary>
    public void Detach()
    {
        _trains.Stop();
        _sending = 0;
        _context.Mode.Roots.DropKept(this);
    }

    /// <summary>Drops all orders.</summary>
    public void Close()
    {
        _isClosed = true;
        _opens.Cancel();
        _orders.Clear();
        Detach();
    }

    /// <inheritdoc/>
    public bool TryPull(Instant now, out Train train)
    {
        train = default;
        while (!_isClosed)
        {
            if (_trains.TryNext(out train))
            {
                _sender.AllBytes.Take(train.Length, now);
                _sender.RepairBytes.Take(train.Length, now);
                return true;
            }
            if (_sending != 0 && StartInNextView(now)) continue;
            _sending = 0;
            if (!TryBegin(now)) return false;
        }
        return false;
    }

    private void Register()
    {
        _context.Mode.Roots.Register(this, PriorityClass.Repair);
    }

    private bool TryBegin(Instant now)
    {
        while (_orders.TryPeek(out ulong sequence))
        {
            Instant opens = _sender.AllBytes.ReadyAt(1, now);
            Instant half = _sender.RepairBytes.ReadyAt(1, now);
            if (half > opens) opens = half;
            if (opens > now)
            {
                _context.Probes.Reached("repairs of a timed group wait for their bucket");
                _opens.Set(opens);
                return false;
            }
            _orders.Dequeue();
            if (!_sender.Kept.Contains(sequence)) continue;
            ref KeptPacket packet = ref _sender.Kept[sequence];
            _awaited = packet.Awaited;
            _alsoTo = packet.AlsoTo;
            packet.Awaited = 0;
            packet.AlsoTo = null;
            if (_awaited == 0) continue;
            if (!_sender.Kept.IsHeld(sequence, now))
            {
                if (!packet.IsDropped) _sender.Gone.Announce(sequence, now);
                continue;
            }
            packet.Repaired = now;
            _sending = sequence;
            _viewIndex = -1;
            _context.Counters.Repairs++;
            return true;
        }
        return false;
    }

    private bool StartInNextView(Instant now)
    {
        if (!_sender.Kept.Contains(_sending)) return false;
        IReadOnlyList<RegionView> views = _group.ViewsNow(now);
        while (++_viewIndex < views.Count)
        {
            if ((_awaited & BitAt(_viewIndex)) == 0) continue;
            _datagram ??= new byte[_sender.PacketBytes];
            int length = _sender.Write(_datagram, DatagramKind.TimedRepair, views[_viewIndex], _sending, now);
            _trains.Start(views[_viewIndex], _datagram.AsMemory(0, length), _alsoTo);
            _alsoTo = null;
            return true;
        }
        return false;
    }

    // An asker in a view that this node no longer sends to is answered in all views.
    private ulong BitOf(RegionView view, Instant now)
    {
        IReadOnlyList<RegionView> views = _group.ViewsNow(now);
        for (int index = 0; index < views.Count; index++)
        {
            if (ReferenceEquals(views[index], view)) return BitAt(index);
        }
        return ulong.MaxValue;
    }

    private static ulong BitAt(int index) => 1UL << Math.Min(index, Views - 1);
}
