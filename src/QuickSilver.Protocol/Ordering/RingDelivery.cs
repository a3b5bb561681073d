using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Delivery;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Modes;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Ordering;

/// <summary>
/// Delivers the messages of one ring, packet by packet in the order of their sequence. A safe message of a group of
/// this node waits until every member holds it, and what is behind it waits with it. A message to several groups goes
/// to those of them that this node is in, one after the other, and nothing comes between. Core thread only.
/// </summary>
/// <param name="parts">What the ordered groups share.</param>
/// <param name="ring">The ring.</param>
internal sealed class RingDelivery(OrderedParts parts, Ring ring)
{
    private const int LongestMessage = 256 << 20;

    private readonly Partial[] _partials = new Partial[ring.Members.Length];
    private readonly RingQueue<Mark> _marks = new();
    private readonly OrderedPlace[] _places = new OrderedPlace[OrderedRecord.MaxGroups];
    private Transition? _transition;
    private int _offset;
    private ulong _markedStep;
    private bool _isDelivering;

    /// <summary>The packet that is delivered next.</summary>
    public ulong Next { get; private set; } = 1;

    /// <summary>The token tells that all packets after one are of a step, or of later ones.</summary>
    public void MarkStep(ulong sequence, ulong step)
    {
        if (step <= _markedStep) return;
        _markedStep = step;
        _marks.Enqueue(new Mark(sequence, step));
    }

    /// <summary>Delivers what can be delivered.</summary>
    /// <param name="stable">Every member holds all packets up to this.</param>
    /// <param name="now">The present instant.</param>
    public void Deliver(ulong stable, Instant now)
    {
        // A handler that sends must not begin again within a message.
        if (_isDelivering) return;
        _isDelivering = true;
        while (ring.Log.Keeps(Next))
        {
            ReachMarks(now);
            if (!TryDeliver(ring.Log[Next], stable, now)) break;
            Next++;
        }
        ReachMarks(now);
        _isDelivering = false;
    }

    /// <summary>True when a packet waits for a step to be installed here.</summary>
    public bool AwaitsStep()
    {
        for (ulong sequence = Next; sequence <= ring.Log.Highest; sequence++)
        {
            if (ring.Log.Keeps(sequence) && IsAhead(ring.Log[sequence].Step)) return true;
        }
        return false;
    }

    /// <summary>
    /// Delivers all that may be delivered of a ring that has ended: everything up to the first hole, and behind it what
    /// members sent that go on.
    /// </summary>
    /// <param name="goOn">The members that go on.</param>
    /// <param name="stable">All members of the ring hold all packets up to this, as one of those that go on knows. Safe
    /// messages behind it are held by those that go on: each group is told who they are first.</param>
    /// <param name="now">The present instant.</param>
    public void Conclude(ReadOnlySpan<bool> goOn, ulong stable, Instant now)
    {
        _transition = new Transition(ring, goOn, stable);
        Deliver(ulong.MaxValue, now);
        for (; Next <= ring.Log.Highest; Next++)
        {
            if (!ring.Log.Keeps(Next))
            {
                _transition.IsBehindHole = true;
                continue;
            }
            RingPacket packet = ring.Log[Next];
            if (goOn[packet.Sender]) TryDeliver(packet, ulong.MaxValue, now);
            else Discard(packet, now);
        }
        for (int index = 0; index < ring.Members.Length; index++)
        {
            _partials[index].Clear();
            if (!goOn[index] && ring.Members[index].IsRemoved) CloseSender(ring.Members[index], now);
        }
    }

    /// <summary>Releases what is held.</summary>
    public void Close()
    {
        for (int index = 0; index < _partials.Length; index++) _partials[index].Clear();
    }

    private bool IsAhead(ulong step) => new RingId(ring.Id.Term, step) > parts.Installed;

    // A step that is not installed here may bring views: its mark is kept for them.
    private void ReachMarks(Instant now)
    {
        while (_marks.Count > 0 && _marks.First.Sequence < Next && !IsAhead(_marks.First.Step))
            parts.Views.Reach(new RingId(ring.Id.Term, _marks.Dequeue().Step), now);
    }

    // False when the packet, or a record of it, has to wait.
    private bool TryDeliver(RingPacket packet, ulong stable, Instant now)
    {
        if (IsAhead(packet.Step)) return false;
        parts.Views.Reach(new RingId(ring.Id.Term, packet.Step), now);
        int at = Math.Max(_offset, packet.Records);
        packet.Bytes.Retain();
        bool isDone = DeliverRecords(packet, ref at, stable, now);
        packet.Bytes.Release();
        _offset = isDone ? 0 : at;
        return isDone;
    }

    private bool DeliverRecords(in RingPacket packet, ref int at, ulong stable, Instant now)
    {
        DeliveryBatch batch = default;
        uint batchOf = 0;
        while (at < packet.Bytes.Length)
        {
            int start = at;
            if (!OrderedRecord.TryRead(packet.Bytes.Span, ref at, out OrderedRecord record)) break;
            if (record.Others > 0)
            {
                Flush(ref batch, batchOf, packet, now);
                if (TryDeliverToAll(record, packet, stable, now)) continue;
                at = start;
                return false;
            }
            if (parts.FindGroup(record.Group) is not { } group || !group.Takes(ring.Id.Term, packet.Step)) continue;
            if (MustWait(record, packet, stable))
            {
                Flush(ref batch, batchOf, packet, now);
                at = start;
                return false;
            }
            if (MustTell(group, record, packet))
            {
                Flush(ref batch, batchOf, packet, now);
                Tell(group, now);
            }
            Slice bytes = packet.Bytes.Part(record.Offset, record.Length);
            if (!record.IsFirst || !record.IsLast)
            {
                Flush(ref batch, batchOf, packet, now);
                if (!TryJoin(record, bytes, packet, out Slice whole)) continue;
                Deliver(group, packet, new DeliveryBatch(record.Number, whole), now);
                whole.Release();
                continue;
            }
            var next = new DeliveryBatch(record.Number, bytes);
            if (batch.Count > 0 && batchOf == record.Group && batch.TryAppend(next)) continue;
            Flush(ref batch, batchOf, packet, now);
            (batch, batchOf) = (next, record.Group);
        }
        Flush(ref batch, batchOf, packet, now);
        return true;
    }

    private static bool MustWait(in OrderedRecord record, in RingPacket packet, ulong stable) =>
        record.IsSafe && record.IsLast && packet.Sequence > stable;

    private bool MustTell(OrderedGroup group, in OrderedRecord record, in RingPacket packet) =>
        _transition is not null && _transition.IsWeaker(record, packet.Sequence) && !group.KnowsTransitionOf(ring);

    private void Tell(OrderedGroup group, Instant now) => _transition!.Tell(group, now);

    // To all the groups of a record that this node is in; false when the message, or its last part, has to wait.
    private bool TryDeliverToAll(in OrderedRecord record, in RingPacket packet, ulong stable, Instant now)
    {
        int count = record.CopyPlaces(packet.Bytes.Span, _places);
        bool isTaken = false;
        for (int index = 0; index < count; index++) isTaken |= FindTaker(_places[index].Group, packet) is not null;
        if (!isTaken) return true;
        if (MustWait(record, packet, stable)) return false;
        Slice part = packet.Bytes.Part(record.Offset, record.Length);
        Slice bytes = part;
        if (record.IsFirst && record.IsLast) bytes.Retain();
        else if (!TryJoin(record, part, packet, out bytes)) return true;
        for (int index = 0; index < count; index++)
        {
            // A handler may have closed it meanwhile.
            if (FindTaker(_places[index].Group, packet) is not { } group) continue;
            if (MustTell(group, record, packet)) Tell(group, now);
            Deliver(group, packet, new DeliveryBatch(_places[index].Number, bytes), now);
        }
        bytes.Release();
        return true;
    }

    private OrderedGroup? FindTaker(uint id, in RingPacket packet) =>
        parts.FindGroup(id) is { } group && group.Takes(ring.Id.Term, packet.Step) ? group : null;

    private void Flush(ref DeliveryBatch batch, uint id, in RingPacket packet, Instant now)
    {
        if (batch.Count == 0) return;
        DeliveryBatch full = batch;
        batch = default;
        if (parts.FindGroup(id) is { } group) Deliver(group, packet, full, now);
    }

    // Adds a part to those before it; true when it is the last of a message: then the caller has a reference to all.
    private bool TryJoin(in OrderedRecord record, in Slice bytes, in RingPacket packet, out Slice whole)
    {
        whole = default;
        ref Partial partial = ref _partials[packet.Sender];
        if (record.IsFirst) partial.Begin(record);
        if (!partial.Is(record) || partial.Length + bytes.Length > LongestMessage)
        {
            partial.Clear();
            return false;
        }
        partial.Add(bytes);
        if (!record.IsLast) return false;
        whole = parts.Joined.Take(partial.Length);
        partial.CopyTo(whole.Span);
        partial.Clear();
        return true;
    }

    private void Deliver(OrderedGroup group, in RingPacket packet, in DeliveryBatch batch, Instant now)
    {
        if (group.Member is not { } member || !group.Takes(ring.Id.Term, packet.Step)) return;
        NodeInfo sender = ring.Members[packet.Sender];
        if (batch.Number < group.NextOf(sender.Number.Key)) return;
        group.Advance(sender.Number.Key, batch.End);
        parts.Counters.Messages += (ulong)batch.Count;
        parts.Delivering = (ring, packet.Sequence);
        member.Deliver(sender, batch, now);
    }

    // Behind a hole: a message that is missing may be what this one answers.
    private void Discard(in RingPacket packet, Instant now)
    {
        parts.Mode.Probes.Reached("a packet behind a hole is discarded");
        parts.Counters.PacketsDiscarded++;
        NodeInfo sender = ring.Members[packet.Sender];
        ulong key = sender.Number.Key;
        int at = packet.Records;
        while (at < packet.Bytes.Length && OrderedRecord.TryRead(packet.Bytes.Span, ref at, out OrderedRecord record))
        {
            if (!record.IsLast || !sender.IsRemoved) continue;
            int count = record.CopyPlaces(packet.Bytes.Span, _places);
            for (int index = 0; index < count; index++)
            {
                ulong number = _places[index].Number;
                if (FindTaker(_places[index].Group, packet) is not { Member: { } member } group) continue;
                ulong first = Math.Max(1, group.NextOf(key));
                if (first == 1 || first > number) first = number;
                group.Advance(key, number + 1);
                member.ReportLoss(sender, first, number + 1 - first, LossCause.SenderFailed, now);
            }
        }
    }

    private void CloseSender(NodeInfo sender, Instant now)
    {
        // By index: a handler may close groups.
        for (int index = 0; index < parts.Groups.Count; index++)
        {
            OrderedGroup group = parts.Groups[index];
            group.Forget(sender.Number.Key);
            group.Member?.CloseSender(sender, now);
        }
    }

    private readonly record struct Mark(ulong Sequence, ulong Step);

    // The parts of a message that have come; each has a reference.
    private struct Partial
    {
        private List<Slice>? _parts;
        private uint _group;
        private ulong _number;

        public int Length { get; private set; }

        public void Begin(in OrderedRecord record)
        {
            Clear();
            (_group, _number) = (record.Group, record.Number);
        }

        public readonly bool Is(in OrderedRecord record) => _group == record.Group && _number == record.Number;

        public void Add(in Slice bytes)
        {
            bytes.Retain();
            (_parts ??= []).Add(bytes);
            Length += bytes.Length;
        }

        public readonly void CopyTo(Span<byte> whole)
        {
            int at = 0;
            for (int index = 0; _parts is not null && index < _parts.Count; index++)
            {
                _parts[index].Span.CopyTo(whole[at..]);
                at += _parts[index].Length;
            }
        }

        public void Clear()
        {
            for (int index = 0; _parts is not null && index < _parts.Count; index++) _parts[index].Release();
            _parts?.Clear();
            Length = 0;
            (_group, _number) = (0, 0);
        }
    }
}
