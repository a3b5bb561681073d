using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Dissemination.Packing;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Flow.Pull;
using QuickSilver.Protocol.Flow.Repairs;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Probing;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Dissemination.Streams;

/// <summary>
/// The repairs of a stream's sender: packets that members asked for are sent again.
/// <para>
/// Rule: a packet that nobody in a partition holds is sent to the whole region, because the partition must cache it and
/// others may lack it too. A packet that one member lacks goes to that member; the third member to ask within a round
/// trip makes it one multicast. Within a pause nobody gets the same packet twice, and after a multicast nobody gets it
/// again: the first may still be on its way. The pause is a round trip and doubles with each repair of the packet, up
/// to a second. From the third on, a repair for all is also sent by unicast to the member that asks, because multicast
/// may not arrive at all. Repairs beyond the first of a packet have a budget for each asker and one for all
/// (<see cref="RepeatBudget"/>). Packets that become stable while they wait here are not sent.
/// </para>
/// <para>
/// Packets are copied, because a repair's header differs and the packet's memory also serves peers' pulls. Receivers
/// that read them in place are sent a note. Waiting packets of equal length for one destination leave as a train.
/// Source: first paper, section 2.2, recovery from the source; the counting of askers is ours. Cost: O(1) per requested
/// packet, one copy per packet sent.
/// </para>
/// </summary>
internal sealed class StreamRepairs : IFeed
{
    // Multicast that was in vain so often may not arrive at all.
    private const int InVain = 2;

    private readonly SendContext _context;
    private readonly PendingPackets _pending;
    private readonly StreamLending _lending;
    private readonly StreamCarrier _carrier;
    private readonly RingQueue<Job> _jobs = new();
    private readonly StreamHybrids _hybrids;
    private readonly PacketSizes _sizes;
    private readonly OutgoingParts _parts = new();
    private readonly int _members;
    private NodeInfo? _partsTo;
    private int _alsoTo;
    private RepeatBudget[]? _budgets;
    private RepeatBudget _total;
    private double _earned;
    private Chunk? _copies;
    private bool _isRegistered;

    public StreamRepairs(
        SendContext context,
        PendingPackets pending,
        StreamLending lending,
        StreamCarrier carrier,
        StreamHybrids hybrids,
        PacketSizes sizes,
        int members)
    {
        _members = members;
        _lending = lending;
        _context = context;
        _pending = pending;
        _carrier = carrier;
        _hybrids = hybrids;
        _sizes = sizes;
    }

    /// <summary>Requests repairs of the pending packets that a NAK names; those that are stable are ignored.</summary>
    /// <param name="nak">The NAK.</param>
    /// <param name="asker">The member that sent it.</param>
    /// <param name="member">The asker's index in the view.</param>
    /// <param name="roundTrip">How long a repair may be on its way.</param>
    /// <param name="now">The present instant.</param>
    public void Ask(in NakBody nak, NodeInfo asker, int member, TimeSpan roundTrip, Instant now)
    {
        NodeInfo? to = nak.PartitionWide ? null : asker;
        foreach (SequenceRange range in nak.Ranges)
        {
            ulong first = Math.Max(range.Start, _pending.Released + 1);
            _context.Counters.NaksIgnored += Math.Min(first, range.End) - range.Start;
            if (first > range.Start)
                _context.Settings.Probes.Reached("a sender is asked for a packet that it knows stable");
            ulong end = range.End;
            if (end - 1 > _pending.Highest)
            {
                // As in an acknowledgement: the sent packets of the range may really be missing.
                _context.Counters.FeedbackCutShort++;
                end = _pending.Highest + 1;
            }
            for (ulong sequence = first; sequence < end; sequence++) Ask(sequence, to, member, roundTrip, now);
        }
    }

    /// <summary>Requests a repair of a pending packet, unless it has just been repaired.</summary>
    /// <param name="sequence">The packet.</param>
    /// <param name="asker">The member that lacks it; null: a whole partition.</param>
    /// <param name="member">The asker's index in the view.</param>
    /// <param name="roundTrip">How long a repair may be on its way.</param>
    /// <param name="now">The present instant.</param>
    public void Ask(ulong sequence, NodeInfo? asker, int member, TimeSpan roundTrip, Instant now)
    {
        ref PendingPacket packet = ref _pending[sequence];
        TimeSpan pause = RepairPause.After(roundTrip, packet.Repeats - 1);
        if (packet.WaitingRepairs == 0 && now - packet.Repaired >= pause) Forget(ref packet);
        if (packet.RepairedToAll || (asker is not null && (packet.FirstAsker == asker || packet.SecondAsker == asker)))
        {
            _context.Counters.NaksIgnored++;
            _context.Settings.Probes.Reached("a sender is asked for what it sent a moment ago");
            return;
        }
        if (packet.Repeats == 0) _earned += RepeatBudget.ByFirst;
        else if (!MayRepeat(member, now)) return;
        bool toAll = asker is null || packet.SecondAsker is not null;
        if (toAll && asker is not null)
            _context.Settings.Probes.Reached("the third member that lacks a packet makes its repair a multicast");
        if (toAll) packet.RepairedToAll = true;
        else if (packet.FirstAsker is null) packet.FirstAsker = asker;
        else packet.SecondAsker = asker;
        int alsoTo = asker is null && packet.Repeats >= InVain ? member : -1;
        if (alsoTo >= 0)
            _context.Settings.Probes.Reached("a repair for all is asked for again and goes by unicast too");
        packet.Repaired = now;
        packet.WaitingRepairs++;
        if (packet.Repeats < byte.MaxValue) packet.Repeats++;
        _jobs.Enqueue(new Job(sequence, toAll ? null : asker, alsoTo));
        if (_isRegistered) return;
        _isRegistered = true;
        _context.Roots.Register(this, PriorityClass.Repair);
    }

    /// <summary>Counts further packets as stable, which earns askers repeats.</summary>
    public void OnStable(ulong packets) => _earned += packets * RepeatBudget.ByStable;

    /// <inheritdoc/>
    public bool TryPull(Instant now, out Train train)
    {
        if (_carrier.TryNext(out train) || TryMakeTrain(now, out train))
        {
            _context.Counters.Retransmissions += (ulong)train.Count;
            return true;
        }
        _isRegistered = false;
        Close();
        return false;
    }

    /// <summary>Releases the memory.</summary>
    public void Close()
    {
        _carrier.Stop();
        _parts.Clear();
        _copies?.Release();
        _copies = null;
    }

    private static void Forget(ref PendingPacket packet)
    {
        packet.Repaired = Instant.Zero;
        packet.FirstAsker = null;
        packet.SecondAsker = null;
        packet.RepairedToAll = false;
    }

    private bool MayRepeat(int member, Instant now)
    {
        ref RepeatBudget own = ref (_budgets ??= new RepeatBudget[_members])[member];
        if (!own.IsOpen) own = RepeatBudget.ForAsker(now, _earned);
        if (!_total.IsOpen) _total = RepeatBudget.ForAll(now, _earned);
        if (own.TryTake(now, _earned))
        {
            if (_total.TryTake(now, _earned)) return true;
            own.Add(1);
        }
        _context.Counters.RepeatsRefused++;
        return false;
    }

    private bool TryMakeTrain(Instant now, out Train train)
    {
        train = default;
        while (_jobs.Count > 0 || !_parts.IsEmpty)
        {
            NodeInfo? to = _parts.IsEmpty ? _jobs.First.To : _partsTo;
            if (to is { IsRemoved: true }) _parts.Clear();
            int length = _parts.IsEmpty ? CopyTrain(to, now, out int segment) : CutTrain(out segment);
            if (length == 0) continue;
            if (to is not null)
            {
                train = new Train(new Slice(_copies, 0, length).Memory, segment, TrainRoute.Unicast, to.Data, null);
                return true;
            }
            _carrier.Start(new Slice(_copies, 0, length), segment, _alsoTo);
            if (_carrier.TryNext(out train)) return true;
        }
        return false;
    }

    // Copies the first job's packet and those that may follow it in one train; removes the jobs from the queue.
    private int CopyTrain(NodeInfo? to, Instant now, out int segment)
    {
        int length = 0;
        segment = 0;
        int count = 0;
        _alsoTo = _jobs.First.AlsoTo;
        while (_jobs.Count > 0 && _jobs.First.To == to && _jobs.First.AlsoTo == _alsoTo)
        {
            ulong sequence = _jobs.First.Sequence;
            if (!_pending.Contains(sequence))
            {
                _jobs.Dequeue();
                continue;
            }
            ref PendingPacket packet = ref _pending[sequence];
            Slice datagram = _hybrids.DatagramOf(sequence);
            OutgoingRepair repair = to is null
                ? OutgoingRepair.ForAll(datagram, _lending.IsOn() ? _context.Transport.SharedMemory : null)
                : OutgoingRepair.For(datagram, _context.Transport.SharedMemory, to.Number.Key);
            int bytes = repair.Length;
            int longest = to is null ? _sizes.Slot : _context.Paths.LongestRepairTo(to);
            if (bytes > longest && count > 0) break;
            bool isTrainFull = bytes > segment
                || length + bytes > Train.RoomFor(count + 1)
                || count >= repair.MostInTrain(_sizes.TrainDatagrams);
            if (count > 0 && isTrainFull) break;
            _jobs.Dequeue();
            packet.WaitingRepairs--;
            if (to is not null && to.IsRemoved) continue;
            packet.Repaired = now;
            if (bytes > longest)
            {
                _parts.Begin(repair, relay: null, longest);
                _partsTo = to;
                return CutTrain(out segment);
            }
            _copies ??= _context.Pool.Rent(BufferOwner.Pending);
            repair.WriteTo(_copies.AsSpan(length, bytes), relay: null);
            length += bytes;
            if (count++ == 0) segment = bytes;
            if (bytes < segment) break;
        }
        return length;
    }

    private int CutTrain(out int segment)
    {
        _copies ??= _context.Pool.Rent(BufferOwner.Pending);
        int length = _parts.CutTrain(_copies.AsSpan(0, BufferPool.ChunkBytes), _sizes.TrainDatagrams, out segment);
        _context.Settings.Probes.Reached("a sender sends a packet in parts again");
        return length;
    }

    private readonly record struct Job(ulong Sequence, NodeInfo? To, int AlsoTo);
}
