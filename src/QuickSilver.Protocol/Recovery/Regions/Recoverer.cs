using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Recovery.Paths;
using QuickSilver.Protocol.Recovery.Reception;
using QuickSilver.Protocol.Recovery.Repairs;
using QuickSilver.Protocol.Recovery.Ring;

namespace QuickSilver.Protocol.Recovery.Regions;

/// <summary>
/// A node's recovery: one <see cref="RegionRecovery"/> for each region view it is a member of, present or draining, and
/// the state they share. Core thread only.
/// </summary>
internal sealed class Recoverer
{
    private readonly RecoveryContext _context;
    private readonly RecoveryParts _parts;
    private readonly List<RegionRecovery> _regions = [];
    private readonly List<RegionState> _states = [];
    private readonly List<RemovedNode> _removed = [];

    /// <summary>Makes the recovery of a node that is in no view yet.</summary>
    internal Recoverer(RecoveryContext context)
    {
        _context = context;
        _parts = new RecoveryParts(
            new RepairFeed(context), new RepairParts(context), new InboundPaths(context, _states),
            new Suspicions(context.Counters));
        Echo = new PathEcho(context);
    }

    /// <summary>The members that are behind, of all views that this node learns of.</summary>
    internal MemberLags Lags => _context.Lags;

    /// <summary>Joins packets that come in parts.</summary>
    internal RepairParts Joins => _parts.Joins;

    internal InboundPaths Inbound => _parts.Inbound;

    internal PathEcho Echo { get; }

    /// <summary>The views this node is a member of.</summary>
    public IReadOnlyList<RegionRecovery> Regions => _regions;

    /// <summary>
    /// True while a removed sender's stream may be open in some view, or its removal is not confirmed by the server.
    /// </summary>
    internal bool IsClosing(ulong sender) => _removed.Exists(removed => removed.Node.Number.Key == sender);

    /// <summary>The node has been admitted to a cluster.</summary>
    public void Start(NodeInfo self, ulong clusterInstance)
    {
        _context.SelfKey = self.Number.Key;
        _context.ClusterInstance = clusterInstance;
    }

    /// <summary>The node has become a member of a view.</summary>
    /// <param name="view">The view.</param>
    /// <param name="channel">Its channel; null: it is carried by unicast.</param>
    /// <param name="hybrids">Channels of hybrid groups, which may carry packets of the view, too.</param>
    public RegionRecovery Open(RegionView view, IRegionChannel? channel, IReadOnlyList<IRegionChannel> hybrids)
    {
        var state = new RegionState(_context, view, channel, hybrids);
        var region = new RegionRecovery(_context, _parts, state, OnStreamClosed);
        RegionRecovery? before = _regions.FindLast(other => other.View.Region.Id == view.Region.Id);
        if (before is not null && Array.TrueForAll(view.Members, one => before.View.IndexOf(one.Number.Key) >= 0))
            region.Gaps.Follow(before.Gaps);
        _regions.Add(region);
        _states.Add(state);
        return region;
    }

    /// <summary>Closes a view's recovery: the view has retired, or the node is gone from the cluster.</summary>
    public void Close(RegionRecovery region, Instant now)
    {
        region.Removed.Retire(now);
        region.Close();
        Joins.Forget(region.View);
        _regions.Remove(region);
        _states.Remove(region.State);
        for (int index = _removed.Count - 1; index >= 0; index--)
        {
            if (index < _removed.Count) OnStreamClosed(_removed[index].Node, now);
        }
    }

    /// <summary>The recovery of the view that a header names; null when this node is no member of it.</summary>
    public RegionRecovery? Find(uint viewTag, uint viewCounter)
    {
        foreach (RegionRecovery region in _regions)
        {
            if (region.View.Number.Counter == viewCounter && region.State.ViewTag == viewTag) return region;
        }
        return null;
    }

    /// <summary>The batch of completions that brought the datagram being handled.</summary>
    public ulong Take
    {
        get => _context.Take;
        set => _context.Take = value;
    }

    /// <summary>
    /// A data socket was found empty. Packets named by tokens of this batch or an earlier one have been read, or were
    /// lost.
    /// </summary>
    public void OnDrained(IRegionChannel? channel, ulong take, Instant now)
    {
        foreach (RegionRecovery region in _regions) region.OnDrained(channel, take, now);
    }

    /// <summary>
    /// Nodes are gone from the cluster, as the membership server or, earlier, a peer reports. They are bypassed in
    /// every view and nothing more is accepted from them. The other members settle what is left of their streams.
    /// </summary>
    public void OnNodesRemoved(IReadOnlyList<NodeInfo> nodes, Instant now)
    {
        foreach (NodeInfo node in nodes)
        {
            _removed.Add(new RemovedNode(node));
            _parts.Suspicions.OnAnswered(node.Number.Key);
        }
        foreach (RegionRecovery region in _regions) region.OnNodesRemoved(nodes, now);
        foreach (NodeInfo node in nodes)
        {
            _context.Paths.Forget(node.Number.Key);
            Echo.Forget(node.Number.Key);
        }
        Inbound.OnNodesRemoved();
    }

    /// <summary>
    /// The membership server has confirmed a removal, after all steps in which the node could send.
    /// <see cref="Delivery.Deliverer.OnSenderClosed"/> follows, never before this call.
    /// </summary>
    public void OnRemovalConfirmed(NodeInfo node, Instant now)
    {
        if (_removed.Find(removed => removed.Node == node) is not { } sender) return;
        sender.IsConfirmed = true;
        foreach (RegionRecovery region in _regions) region.Removed.OnConfirmed(node, now);
        OnStreamClosed(node, now);
    }

    /// <summary>Adds the members of any view that do not answer its ring, and the nodes with blocked ways.</summary>
    public void Observe(NodeObservations observed, Instant now)
    {
        bool isStuck = false;
        foreach (RegionRecovery region in _regions)
        {
            region.Ring.Observe(observed, now);
            isStuck |= region.Gaps.Stuck.HasAny(now);
        }
        if (isStuck) Inbound.Observe(observed, now);
    }

    /// <summary>Adds for how long this node itself has been behind, and whether its handlers take most of its
    /// time.</summary>
    internal void ObserveSelf(NodeObservations observed, Instant now)
    {
        foreach (RegionRecovery region in _regions)
        {
            OwnLag lag = region.Ring.OwnLag;
            observed.IsHandling |= lag.IsKnownHandling(now);
            if (!lag.IsBehind(now) || now - lag.BehindSince <= observed.BehindFor) continue;
            observed.BehindFor = now - lag.BehindSince;
        }
    }

    /// <summary>Releases everything.</summary>
    public void Close()
    {
        foreach (RegionRecovery region in _regions) region.Close();
        _regions.Clear();
        _states.Clear();
        Inbound.Close();
        Joins.Close();
        _context.Close();
    }

    // A removed sender's stream is closed in a view, or the view is gone. When no other stream of it is open, the
    // sender is closed.
    private void OnStreamClosed(NodeInfo sender, Instant now)
    {
        int index = _removed.FindIndex(removed => removed.Node == sender);
        if (index < 0 || !_removed[index].IsConfirmed) return;
        foreach (RegionRecovery region in _regions)
        {
            if (region.Removed.HasOpen(sender)) return;
        }
        _removed.RemoveAt(index);
        _context.Deliverer.OnSenderClosed(sender, now);
    }
}
