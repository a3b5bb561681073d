using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Flow.Control;
using QuickSilver.Protocol.Flow.Pull;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Lateral;

/// <summary>
/// Requests for packets that repairs did not give, and the answers to other nodes' requests. Requests to one node go in
/// one datagram. Answers come from the cache, within a budget for each asker; a packet that is not kept is passed over,
/// and the asker asks elsewhere. Core thread only.
/// </summary>
internal sealed class LateralAsking : IFeed
{
    private const int MostOrders = 1 << 14;
    // Packets a second that one node is sent again on request.
    private const int ResendsASecond = 4000;

    private readonly LateralParts _parts;
    private readonly List<(NodeInfo To, LateralId Id)> _asked = [];
    private readonly RingQueue<(NodeInfo To, LateralId Id)> _orders = new();
    private readonly Dictionary<ulong, TokenBucket> _budgets = [];
    private readonly Answers _answers;
    private readonly byte[] _request = new byte[DatagramHeader.Length + 1
        + (LateralIdList.MaxIds * LateralIdList.MaxIdLength)];
    private readonly byte[] _answer = new byte[DatagramHeader.Length + LateralDataBody.MaxPrefix
        + LateralBlock.MaxLength];

    public LateralAsking(LateralParts parts)
    {
        _parts = parts;
        _answers = new Answers(this);
    }

    /// <summary>Asks a node for a packet, soon.</summary>
    public void Ask(NodeInfo from, in LateralId id)
    {
        _parts.Counters.PacketsAsked++;
        _asked.Add((from, id));
        _parts.Context.Roots.Register(this, PriorityClass.Request);
    }

    /// <summary>Handles another node's request.</summary>
    public RejectReason OnNak(in DatagramHeader header, NodeInfo asker, ReadOnlySpan<byte> body, Instant now)
    {
        if (header.Sequence != _parts.Context.SelfKey) return RejectReason.NeverSent;
        Span<LateralId> ids = stackalloc LateralId[LateralIdList.MaxIds];
        var reader = new WireReader(body);
        int count = LateralIdList.Read(ref reader, ids);
        if (count == 0 || !reader.IsAtEnd) return RejectReason.Malformed;
        if (!_budgets.TryGetValue(asker.Number.Key, out TokenBucket? budget))
        {
            budget = new TokenBucket(ResendsASecond, ResendsASecond, now);
            _budgets.Add(asker.Number.Key, budget);
        }
        foreach (LateralId id in ids[..count])
        {
            // A node is answered only in groups that it shares with this one, or that this one sends to.
            if (_parts.FindGroup(id.Group) is null || !_parts.Peers.IsInGroup(asker.Number.Key, id.Group)) continue;
            if (id.Fragment != 0 || _parts.Cache.TryGet(id, out _)) Order(asker, id, budget, now);
            else OrderFragments(asker, id, budget, now);
        }
        return RejectReason.None;
    }

    /// <inheritdoc/>
    public bool TryPull(Instant now, out Train train)
    {
        train = default;
        RegionView? own = _parts.Context.Cluster.Own;
        if (own is null) _asked.Clear();
        if (own is null || _asked.Count == 0) return false;
        NodeInfo to = _asked[0].To;
        Span<LateralId> ids = stackalloc LateralId[LateralIdList.MaxIds];
        int count = 0;
        int kept = 0;
        for (int index = 0; index < _asked.Count; index++)
        {
            (NodeInfo node, LateralId id) = _asked[index];
            if (node == to && count < ids.Length)
            {
                if (ids[..count].IndexOf(id) < 0) ids[count++] = id;
            }
            else
            {
                _asked[kept++] = _asked[index];
            }
        }
        _asked.RemoveRange(kept, _asked.Count - kept);
        ids[..count].Sort();
        var writer = new WireWriter(_request.AsSpan(DatagramHeader.Length));
        LateralIdList.Write(ref writer, ids[..count]);
        int length = DatagramHeader.Length + writer.Written;
        _parts.Context.Header(DatagramKind.LateralNak, own, to.Number.Key).WriteTo(_request.AsSpan(0, length));
        train = new Train(_request.AsMemory(0, length), length, TrainRoute.Control, to.Control, null);
        return true;
    }

    public void Close()
    {
        _asked.Clear();
        while (_orders.Count > 0) _orders.Dequeue();
        _budgets.Clear();
    }

    private void OrderFragments(NodeInfo asker, LateralId id, TokenBucket budget, Instant now)
    {
        if (!_parts.Cache.TryGet(id with { Fragment = 1 }, out Slice first)) return;
        if (!LateralBlock.TryRead(first.Span, id with { Fragment = 1 }, out LateralBlock block, out _)) return;
        for (uint fragment = 1; fragment <= block.Fragments; fragment++)
            Order(asker, id with { Fragment = fragment }, budget, now);
    }

    private void Order(NodeInfo asker, in LateralId id, TokenBucket budget, Instant now)
    {
        if (!_parts.Cache.TryGet(id, out _)) return;
        if (_orders.Count >= MostOrders || !budget.TryTake(1, now))
        {
            _parts.Counters.ResendsRefused++;
            return;
        }
        _orders.Enqueue((asker, id));
        _parts.Context.Roots.Register(_answers, PriorityClass.Repair);
    }

    private bool TryAnswer(out Train train)
    {
        train = default;
        while (_orders.Count > 0)
        {
            (NodeInfo to, LateralId id) = _orders.Dequeue();
            if (to.IsRemoved || !_parts.Cache.TryGet(id, out Slice block)) continue;
            if (_parts.Peers.ViewOf(to.Number.Key) is not { } view) continue;
            var writer = new WireWriter(_answer.AsSpan(DatagramHeader.Length));
            LateralDataBody.WritePrefix(ref writer, id, isResend: true);
            writer.WriteBytes(block.Span);
            int length = DatagramHeader.Length + writer.Written;
            _parts.Context.Header(DatagramKind.LateralResend, view).WriteTo(_answer.AsSpan(0, length));
            _parts.Counters.ResendsGiven++;
            train = new Train(_answer.AsMemory(0, length), length, TrainRoute.Unicast, to.Data, null);
            return true;
        }
        return false;
    }

    private sealed class Answers(LateralAsking asking) : IFeed
    {
        public bool TryPull(Instant now, out Train train) => asking.TryAnswer(out train);
    }
}
