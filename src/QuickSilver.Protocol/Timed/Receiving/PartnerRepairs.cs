using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow.Control;
using QuickSilver.Protocol.Flow.Pull;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Modes;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Timed.Receiving;

/// <summary>
/// Repairs of others' packets by a member that holds them. A request that is heard in the own region is answered after
/// the time in which the sender would have answered, and a drawn wait, unless the packet is heard again meanwhile. So a
/// sender that is cut off or gone does not leave holes that somebody can fill. At most 64 orders wait; others are
/// dropped, and asked for again. Has a bucket of half the group's rate.
/// </summary>
internal sealed class PartnerRepairs : IFeed
{
    private const int MaxOrders = 64;

    private readonly TimedContext _context;
    private readonly TimedStay _group;
    private readonly Waiting[] _orders = new Waiting[MaxOrders];
    private readonly ViewCast _trains;
    private readonly Alarm _due;
    private byte[]? _datagram;
    private TokenBucket? _bucket;
    private int _count;

    public PartnerRepairs(TimedContext context, TimedStay group)
    {
        _context = context;
        _group = group;
        _trains = new ViewCast(context.Mode);
        _due = new Alarm(context.Mode.Alarms, _ => _context.Mode.Roots.Register(this, PriorityClass.Repair));
    }

    /// <summary>A member has asked for packets of a sender.</summary>
    public void Order(TimedReceiver receiver, SequenceRangeList ranges, Instant now)
    {
        TimeSpan wait = receiver.RoundTrip + receiver.Requests.DrawWait(0);
        foreach (SequenceRange range in ranges)
        {
            ulong lowest = receiver.Window.Highest >= (ulong)receiver.Window.Capacity
                ? receiver.Window.Highest + 1 - (ulong)receiver.Window.Capacity
                : 1;
            ulong end = Math.Min(range.End, receiver.Window.Highest + 1);
            for (ulong sequence = Math.Max(range.Start, lowest); sequence < end && _count < MaxOrders; sequence++)
            {
                if (!receiver.Window.IsHeld(sequence, now) || IsOrdered(receiver, sequence)) continue;
                _orders[_count++] = new Waiting(receiver, sequence, now + wait);
                _due.SetIfEarlier(now + wait);
            }
        }
    }

    /// <summary>A packet is heard: it need not be sent again.</summary>
    public void OnSeen(ulong sender, ulong sequence)
    {
        for (int index = 0; index < _count; index++)
        {
            Waiting order = _orders[index];
            if (order.Sequence != sequence || order.Receiver.Sender.Number.Key != sender) continue;
            Remove(index);
            _context.Probes.Reached("a partner need not repair, since another has");
            return;
        }
    }

    /// <summary>Stops what is under way: views have changed.</summary>
    public void Detach()
    {
        _trains.Stop();
        _context.Mode.Roots.DropKept(this);
    }

    /// <summary>Drops all orders.</summary>
    public void Clear()
    {
        Array.Clear(_orders);
        _count = 0;
        _due.Cancel();
    }

    /// <summary>Drops all orders, and what is under way.</summary>
    public void Close()
    {
        Clear();
        Detach();
    }

    /// <inheritdoc/>
    public bool TryPull(Instant now, out Train train)
    {
        while (!_trains.TryNext(out train))
        {
            if (!TryBegin(now)) return false;
        }
        _bucket!.Take(train.Length, now);
        return true;
    }

    private bool TryBegin(Instant now)
    {
        if (_group.OwnView is not { } view) return false;
        _bucket ??= new TokenBucket(
            _group.Settings.BytesPerSecond / 2.0, _group.Settings.BurstPackets * _group.Settings.DatagramBytes, now);
        int found = FindDue(now, out Instant next);
        if (found >= 0 && _bucket.Available(now) < 1)
        {
            Instant opens = _bucket.ReadyAt(1, now);
            if (opens < next) next = opens;
            found = -1;
        }
        if (found < 0)
        {
            if (next != Instant.Never) _due.Set(next);
            return false;
        }
        Waiting due = _orders[found];
        Remove(found);
        int length = Write(due, view, now);
        if (length == 0) return true;
        _context.Counters.PartnerRepairs++;
        _trains.Start(view, _datagram.AsMemory(0, length), alsoTo: null);
        return true;
    }

    // The first order that is due, once those that are over are dropped; -1: none is. And when another one is.
    private int FindDue(Instant now, out Instant next)
    {
        next = Instant.Never;
        int found = -1;
        int index = 0;
        while (index < _count)
        {
            Waiting order = _orders[index];
            if (order.Due <= now && (order.Receiver.IsOver || !order.Receiver.Window.IsHeld(order.Sequence, now)))
            {
                // The last takes its place, and is judged next: what was found lies below.
                Remove(index);
                continue;
            }
            if (order.Due > now) next = order.Due < next ? order.Due : next;
            else if (found < 0) found = index;
            index++;
        }
        return found;
    }

    private void Remove(int index)
    {
        _orders[index] = _orders[--_count];
        _orders[_count] = default;
    }

    // The head is written again: it is older, and the view may have another epoch than the one it came in.
    private int Write(in Waiting order, RegionView view, Instant now)
    {
        _datagram ??= new byte[Math.Min(_group.Settings.DatagramBytes, _context.Mode.Transport.Facts.SlotBytes)];
        ref ReceivedPacket packet = ref order.Receiver.Window[order.Sequence];
        TimedHead head = packet.HeadAt(_group.Id.Counter, now);
        var writer = new WireWriter(_datagram.AsSpan(DatagramHeader.Length));
        writer.WriteUInt64(order.Receiver.Sender.Number.Key);
        head.WriteTo(ref writer, view.Number.Epoch, order.Sequence);
        writer.WriteBytes(packet.Payload.Span);
        if (writer.Overflowed) return 0;
        int length = DatagramHeader.Length + writer.Written;
        _context.Mode.Header(DatagramKind.TimedRepair, view, order.Sequence, DatagramFlags.FromPeer)
            .WriteTo(_datagram.AsSpan(0, length));
        return length;
    }

    private bool IsOrdered(TimedReceiver receiver, ulong sequence)
    {
        for (int index = 0; index < _count; index++)
        {
            if (_orders[index].Sequence == sequence && _orders[index].Receiver == receiver) return true;
        }
        return false;
    }

    private readonly record struct Waiting(TimedReceiver Receiver, ulong Sequence, Instant Due);
}
