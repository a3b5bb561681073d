using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Flow.Pull;
using QuickSilver.Protocol.Flow.Repairs;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Probing;
using QuickSilver.Protocol.Recovery.Reception;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Recovery.Repairs;

/// <summary>
/// Repairs that this node owes its peers, from its caches or its own pending packets. An order is three numbers. Its
/// datagram is made when the socket can take it, so a packet that has been cleaned up meanwhile is not sent. A full
/// queue drops orders: the asker asks again.
/// <para>
/// The cost of an asker is bounded, whichever packets it asks for. A packet is not sent to one asker twice within 10
/// ms. The pause doubles each time, up to a second, unless four other orders displaced it from the table of recent
/// ones. A packet that is not above all packets sent to the asker counts as a repeat. Repeats have a budget for each
/// asker in a view, and one for all (<see cref="RepeatBudget"/>).
/// </para>
/// </summary>
internal sealed class RepairFeed : IFeed
{
    private const int Capacity = 1 << 16;
    private const int RecentSlots = 1 << 13;

    // Number of adjacent slots that an order may lie in. With one, two orders could displace each other again and
    // again.
    private const int Ways = 4;

    private static readonly TimeSpan RepeatAfter = TimeSpan.FromMilliseconds(10);

    /// <summary>After this silence about a packet its pauses begin again at the shortest.</summary>
    private static readonly TimeSpan Forgotten = TimeSpan.FromSeconds(4);

    private readonly RecoveryContext _node;
    private readonly Queue<Order> _orders = new();
    private readonly Recent[] _recent = new Recent[RecentSlots];
    private readonly byte[] _train = new byte[Train.MaxBytes];
    private readonly OutgoingParts _parts = new();
    private NodeInfo? _partsTo;
    private RepeatBudget _total;

    public RepairFeed(RecoveryContext node) => _node = node;

    private readonly record struct Order(RegionState Region, StreamReceiver Stream, ulong Sequence, int Member);

    /// <summary>Queues a packet for a member, unless it was sent there a moment ago.</summary>
    public void Add(RegionState region, StreamReceiver stream, ulong sequence, int member, Instant now)
    {
        if (_orders.Count == Capacity) return;
        ulong key = SeededRandom.Mix(
            sequence
            ^ SeededRandom.Mix(stream.Sender.Number.Key + ((ulong)member << 40))
            ^ SeededRandom.Mix(region.View.Number.Counter));
        ref Recent recent = ref SlotOf(key);
        bool isKnown = recent.Key == key && now - recent.At < Forgotten;
        if (isKnown && now - recent.At < RepairPause.After(RepeatAfter, recent.Times - 1))
        {
            _node.Probes.Reached("a packet is owed to a member that was sent it a moment ago");
            return;
        }
        if (stream.NoteGiven(member, sequence)) region.OnEarned(RepeatBudget.ByFirst);
        else if (!MayRepeat(region, member, now)) return;
        recent = new Recent(key, now, isKnown ? recent.Times + 1 : 1);
        _orders.Enqueue(new Order(region, stream, sequence, member));
        _node.Roots.Register(this, PriorityClass.Repair);
    }

    /// <inheritdoc/>
    public bool TryPull(Instant now, out Train train)
    {
        if (TryPullParts(out train)) return true;
        int length = 0, segment = 0, count = 0;
        NodeInfo? to = null;
        while (_orders.TryPeek(out Order order))
        {
            NodeInfo member = order.Region.View.Members[order.Member];
            if (member.IsRemoved || !order.Stream.TryGetPacket(order.Sequence, out Slice packet))
            {
                _orders.Dequeue();
                continue;
            }
            OutgoingRepair repair = OutgoingRepair.For(packet, _node.Transport.SharedMemory, member.Number.Key);
            int bytes = repair.Length;
            int longest = _node.Paths.LongestRepairTo(member);
            if (bytes > longest)
            {
                if (to is not null) break;
                _orders.Dequeue();
                _node.Counters.RepairsGiven++;
                _parts.Begin(repair, order.Stream.Own is null ? order.Region.Self : null, longest);
                _partsTo = member;
                return TryPullParts(out train);
            }
            if (to is null) (to, segment) = (member, bytes);
            else if (to != member || bytes > segment) break;
            else if (length + bytes > Train.RoomFor(count + 1)) break;
            else if (count >= repair.MostInTrain(_node.Transport.Facts.TrainDatagrams)) break;
            _orders.Dequeue();
            repair.WriteTo(_train.AsSpan(length, bytes), order.Stream.Own is null ? order.Region.Self : null);
            length += bytes;
            count++;
            if (bytes < segment) break;
        }
        if (to is null)
        {
            train = default;
            return false;
        }
        _node.Counters.RepairsGiven += (ulong)count;
        train = new Train(_train.AsMemory(0, length), segment, TrainRoute.Unicast, to.Data, null);
        return true;
    }

    // The slot of an order, or the one it displaces: the slot unused for longest.
    private ref Recent SlotOf(ulong key)
    {
        Span<Recent> slots = _recent.AsSpan((int)(key % (RecentSlots / Ways)) * Ways, Ways);
        int oldest = 0;
        for (int way = 0; way < Ways; way++)
        {
            if (slots[way].Key == key) return ref slots[way];
            if (slots[way].At < slots[oldest].At) oldest = way;
        }
        return ref slots[oldest];
    }

    private bool TryPullParts(out Train train)
    {
        train = default;
        if (_parts.IsEmpty || _partsTo is not { IsRemoved: false } to) return false;
        int length = _parts.CutTrain(_train, _node.Transport.Facts.TrainDatagrams, out int segment);
        train = new Train(_train.AsMemory(0, length), segment, TrainRoute.Unicast, to.Data, null);
        _node.Probes.Reached("a member sends a packet in parts");
        return true;
    }

    private bool MayRepeat(RegionState region, int member, Instant now)
    {
        ref RepeatBudget own = ref region.BudgetOf(member);
        if (!own.IsOpen) own = RepeatBudget.ForAsker(now, region.EarnedRepeats);
        if (!_total.IsOpen) _total = RepeatBudget.ForAll(now, _node.EarnedRepeats);
        if (own.TryTake(now, region.EarnedRepeats))
        {
            if (_total.TryTake(now, _node.EarnedRepeats)) return true;
            own.Add(1);
        }
        _node.Counters.RepeatsRefused++;
        return false;
    }

    private readonly record struct Recent(ulong Key, Instant At, int Times);
}
