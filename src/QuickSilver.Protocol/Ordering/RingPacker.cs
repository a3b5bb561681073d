using System.Diagnostics;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Dissemination.Groups;
using QuickSilver.Protocol.Dissemination.Messages;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Ordering;

/// <summary>
/// Turns this node's messages into packets, when the token is here. A message is taken from its source not before. It
/// is pending until every member holds it; one whose ring ended before it was whole begins again in the next.
/// </summary>
/// <param name="parts">What the ordered groups share.</param>
internal sealed class RingPacker(OrderedParts parts)
{
    private readonly RingQueue<Sent> _unstable = new();
    private readonly RingQueue<OutgoingMessage> _concluded = new();
    private readonly OrderedPlace[] _places = new OrderedPlace[OrderedRecord.MaxGroups];
    private OutgoingMessage? _current;
    private int _offset;
    private bool _isSafe;

    /// <summary>True while a message is pending, or part of it waits for the token.</summary>
    public bool IsPending => _current is not null || _unstable.Count > 0 || _concluded.Count > 0;

    /// <summary>True while a message waits for the token, and would be sent if it came: none that the user's limit of
    /// packets holds back.</summary>
    public bool HasWork => _current is not null || parts.Mode.Outlet.MayTake;

    /// <summary>Makes packets of what waits, and adds them to the log.</summary>
    /// <param name="ring">The ring.</param>
    /// <param name="after">The last packet of the ring.</param>
    /// <param name="most">Packets that may be made.</param>
    /// <param name="longest">The longest datagram.</param>
    /// <param name="now">The present instant.</param>
    /// <returns>Packets that were made.</returns>
    public int Pack(Ring ring, ulong after, int most, int longest, Instant now)
    {
        if (_current is not null && _current.Step != parts.Active) Restart();
        int made = 0;
        while (made < most && TryMake(ring, after + (ulong)made + 1, longest, now)) made++;
        parts.Counters.PacketsSent += (ulong)made;
        return made;
    }

    /// <summary>Every member holds all packets up to one: messages in them are finished.</summary>
    public void OnStable(ulong sequence, Instant now)
    {
        while (_unstable.Count > 0 && _unstable.First.Sequence <= sequence)
            parts.Mode.Outlet.Finish(_unstable.Dequeue().Message, now);
    }

    /// <summary>A ring has ended. Those that go on hold what this node sent in it, once they have come along.</summary>
    public void OnConcluded(Ring ring, ReadOnlySpan<bool> goOn)
    {
        while (_unstable.Count > 0)
        {
            OutgoingMessage message = _unstable.Dequeue().Message;
            message.Removed += CountRemoved(ring, goOn, message);
            _concluded.Enqueue(message);
        }
        Restart();
    }

    /// <summary>All members of the present ring have concluded those before.</summary>
    public void OnAllConcluded(Instant now)
    {
        while (_concluded.Count > 0) parts.Mode.Outlet.Finish(_concluded.Dequeue(), now);
    }

    /// <summary>Releases all messages: the node is in no ring any more. Nobody is told that those which are left are
    /// held, since some may never have been sent. A node that leaves has none.</summary>
    public void Close()
    {
        while (_unstable.Count > 0) parts.Mode.Outlet.GiveUp(_unstable.Dequeue().Message);
        while (_concluded.Count > 0) parts.Mode.Outlet.GiveUp(_concluded.Dequeue());
        while (_current is not null) parts.Mode.Outlet.GiveUp(TakeFirst());
    }

    private void Restart()
    {
        if (_offset > 0) parts.Mode.Probes.Reached("a message of several packets begins again");
        _offset = 0;
    }

    private int CountRemoved(Ring ring, ReadOnlySpan<bool> goOn, OutgoingMessage message)
    {
        GroupId id = message.Group.Group.Id;
        if (parts.FindGroup(id.Counter) is not { } group) return 0;
        int removed = 0;
        foreach (RegionView view in group.Layout.ViewsOf(id))
        {
            foreach (NodeInfo member in view.MembersOf(id))
            {
                int index = ring.IndexOf(member.Number.Key);
                if (index >= 0 && !goOn[index] && member.IsRemoved) removed++;
            }
        }
        return removed;
    }

    private bool TryMake(Ring ring, ulong sequence, int longest, Instant now)
    {
        if (!TryTake(now)) return false;
        Slice room = parts.Memory.Take(longest);
        var writer = new WireWriter(room.Span[DatagramHeader.Length..]);
        new OrderedHead(ring.Id, sequence, parts.Mode.SelfKey, parts.Active.Counter).WriteTo(ref writer);
        int records = DatagramHeader.Length + writer.Written;
        bool isFirst = true;
        while (TryTake(now) && TryWrite(ref writer, sequence, isFirst)) isFirst = false;
        Debug.Assert(
            !writer.Overflowed && DatagramHeader.Length + writer.Written > records,
            "a packet has a record, and room for it");
        Slice packet = parts.Memory.Trim(room, DatagramHeader.Length + writer.Written);
        ring.Log.Add(new RingPacket(sequence, ring.Self, parts.Active.Counter, packet, records));
        return true;
    }

    private bool TryTake(Instant now)
    {
        if (_current is not null) return true;
        if (!parts.Mode.Outlet.TryTake(now, out OutgoingMessage? message)) return false;
        Debug.Assert(message.Step == parts.Active, "a message is taken in the active step");
        _current = message;
        _offset = 0;
        // The node may have left the group when the message is sent. Of a group that is gone the level is not known:
        // the message has the stronger promise. So has one to several groups, if one of them promises it.
        _isSafe = message.Traits.IsSafe ?? PromisesSafe(message);
        return true;
    }

    private bool PromisesSafe(OutgoingMessage message)
    {
        for (OutgoingMessage? one = message; one is not null; one = one.Also)
        {
            if (parts.FindGroup(one.Group.Group.Id.Counter) is not { IsSafe: false }) return true;
        }
        return false;
    }

    // False when the packet is full: a message is cut only where it begins a packet.
    private bool TryWrite(ref WireWriter writer, ulong sequence, bool isFirst)
    {
        OutgoingMessage message = _current!;
        if (_offset == 0 && message.Step != parts.Active)
        {
            for (OutgoingMessage? one = message; one is not null; one = one.Also) parts.Mode.Outlet.Rebind(one);
        }
        int groups = SortPlaces(message);
        int rest = message.Length - _offset;
        int room = writer.Remaining - OrderedRecord.OverheadOf(groups);
        if (room < rest && (!isFirst || room <= 0)) return false;
        int length = Math.Min(rest, room);
        var record = new OrderedRecord
        {
            Group = _places[0].Group,
            Number = _places[0].Number,
            IsFirst = _offset == 0,
            IsLast = length == rest,
            IsSafe = _isSafe,
        };
        record.WriteTo(ref writer, message.Span.Slice(_offset, length), _places.AsSpan(1, groups - 1));
        _offset += length;
        if (!record.IsLast) return false;
        if (groups > 1) parts.Mode.Probes.Reached("a message to several ordered groups is sent");
        message.ReleaseBytes();
        parts.Counters.MessagesSent += (ulong)groups;
        while (_current is not null) _unstable.Enqueue(new Sent(sequence, TakeFirst()));
        return true;
    }

    // The record of the present message for the first of its groups; those of the others remain.
    private OutgoingMessage TakeFirst()
    {
        OutgoingMessage first = _current!;
        _current = first.Also;
        first.Also = null;
        _offset = 0;
        return first;
    }

    // By group, as they are written.
    private int SortPlaces(OutgoingMessage message)
    {
        int count = 0;
        for (OutgoingMessage? one = message; one is not null; one = one.Also)
        {
            var place = new OrderedPlace(one.Group.Group.Id.Counter, one.Number);
            int at = count++;
            for (; at > 0 && _places[at - 1].Group > place.Group; at--) _places[at] = _places[at - 1];
            _places[at] = place;
        }
        return count;
    }

    private readonly record struct Sent(ulong Sequence, OutgoingMessage Message);
}
