using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow.Pull;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Recovery.Paths;
using QuickSilver.Protocol.Recovery.Reception;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Recovery.Repairs;

/// <summary>
/// Pulls and NAKs of one view that wait to leave. Requests to one node for one stream and partition wait together and
/// leave in one datagram. Packets that have arrived by then are left out.
/// Orders are reused: nothing is allocated once their number has reached its peak. Cost of an addition: O(orders that
/// wait), which are few.
/// </summary>
internal sealed class RequestFeed(RecoveryContext node, RegionView view, InboundPaths inbound) : IFeed
{
    private readonly List<RequestOrder> _orders = [];
    private readonly Stack<RequestOrder> _spare = new();
    private int _next;

    /// <summary>
    /// Requests packets of a partition from a member; of all partitions, when <paramref name="partition"/> is their
    /// number.
    /// </summary>
    public void Pull(StreamReceiver stream, int member, int partition, SequenceRange range) =>
        Add(stream, view.Members[member], isNak: false, wide: false, partition, range);

    /// <summary>
    /// Requests packets from a stream's sender; with <paramref name="wide"/>, for all members of the partition.
    /// </summary>
    public void Nak(StreamReceiver stream, bool wide, int partition, SequenceRange range)
    {
        Add(stream, stream.Sender, isNak: true, wide, partition, range);
    }

    /// <inheritdoc/>
    public bool TryPull(Instant now, out Train train)
    {
        while (_next < _orders.Count)
        {
            RequestOrder order = _orders[_next++];
            bool built = TryBuild(order, out train);
            order.Clear();
            _spare.Push(order);
            if (built) return true;
        }
        _orders.Clear();
        _next = 0;
        train = default;
        return false;
    }

    private void Add(StreamReceiver stream, NodeInfo to, bool isNak, bool wide, int partition, SequenceRange range)
    {
        for (int index = _next; index < _orders.Count; index++)
        {
            RequestOrder order = _orders[index];
            bool isAlike = order.Stream == stream && order.To == to && order.IsNak == isNak
                && order.Wide == wide && order.Partition == partition;
            if (isAlike && order.TryAdd(range)) return;
        }
        if (!_spare.TryPop(out RequestOrder? fresh)) fresh = new RequestOrder();
        fresh.Begin(stream, to, isNak, wide, partition);
        fresh.TryAdd(range);
        _orders.Add(fresh);
        node.Roots.Register(this, PriorityClass.Request);
    }

    private bool TryBuild(RequestOrder order, out Train train)
    {
        train = default;
        ReadOnlySpan<SequenceRange> ranges = order.StillMissing();
        if (ranges.IsEmpty || order.To!.IsRemoved) return false;
        if (order.IsNak && order.To.Number.Key == node.SelfKey) return false;
        var writer = new WireWriter(node.Scratch.AsSpan(DatagramHeader.Length));
        if (order.IsNak) NakBody.Write(ref writer, order.Wide, ranges);
        else
        {
            PullBody.Write(
                ref writer, order.Stream!.Sender.Number.Key, order.Partition, inbound.Narrowest, ranges);
        }
        if (!order.IsNak) node.Counters.PullsSent++;
        DatagramHeader header = node.Header(view, order.IsNak ? DatagramKind.Nak : DatagramKind.Pull);
        train = node.Seal(header, writer.Written, order.To);
        return true;
    }
}
