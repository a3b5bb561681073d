using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Delivery;
using QuickSilver.Protocol.Dissemination;
using QuickSilver.Protocol.Dissemination.Sending;
using QuickSilver.Protocol.Dissemination.Streams;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Flow.Pull;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Probing;
using QuickSilver.Protocol.Recovery.Orphans;
using QuickSilver.Protocol.Recovery.Paths;
using QuickSilver.Protocol.Recovery.Repairs;
using QuickSilver.Protocol.Recovery.Ring;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Recovery;

/// <summary>
/// A node's recovery: one <see cref="RegionRecovery"/> for each region view it is a member of, present or draining, and
/// the state they share. Core thread only.
/// </summary>
public sealed class Recoverer
{
    private readonly List<RegionRecovery> _regions = [];
    private readonly List<RemovedNode> _removed = [];
    private readonly Arena _cacheArena;
    private readonly BufferPool _pool;

    /// <summary>Makes the recovery of a node that is in no view yet.</summary>
    public Recoverer(
        RecoverySettings settings,
        ITransport transport,
        ISink roots,
        AlarmQueue alarms,
        SeededRandom random,
        BufferPool pool,
        RecoveryCounters counters,
        ClusterView cluster,
        Deliverer deliverer,
        Disseminator disseminator,
        IRecoveryEvents events)
    {
        Settings = settings;
        Probes = settings.Probes;
        Transport = transport;
        Roots = roots;
        Alarms = alarms;
        Random = random;
        Counters = counters;
        Cluster = cluster;
        Deliverer = deliverer;
        Disseminator = disseminator;
        Events = events;
        Lags = new MemberLags(alarms, events.OnLagChanged);
        _cacheArena = new Arena(pool, BufferOwner.Cache);
        _pool = pool;
        Repairs = new RepairFeed(this);
        Suspicions = new Suspicions(counters);
        Parts = new RepairParts(this);
        Inbound = new InboundPaths(this);
        Echo = new PathEcho(this);
        Scratch = new byte[DatagramHeader.MaxDatagram];
    }

    internal RecoverySettings Settings { get; }

    internal Probes Probes { get; }

    internal ITransport Transport { get; }

    internal ISink Roots { get; }

    internal AlarmQueue Alarms { get; }

    internal SeededRandom Random { get; }

    internal RecoveryCounters Counters { get; }

    internal ClusterView Cluster { get; }

    internal IRecoveryEvents Events { get; }

    /// <summary>Receives the packets.</summary>
    internal Deliverer Deliverer { get; }

    /// <summary>Sends this node's own streams.</summary>
    internal Disseminator Disseminator { get; }

    /// <summary>The members that are behind, of all views that this node learns of.</summary>
    internal MemberLags Lags { get; }

    /// <summary>The longest datagram that reaches each member. Shared with dissemination.</summary>
    internal PathSizes Paths => Disseminator.Paths;

    /// <summary>
    /// Total time that the application's handlers have taken on the core thread; null where nobody measures it.
    /// </summary>
    internal Func<TimeSpan>? HandlerTime { get; init; }

    internal RepairFeed Repairs { get; }

    internal Suspicions Suspicions { get; }

    internal RepairParts Parts { get; }

    internal InboundPaths Inbound { get; }

    internal PathEcho Echo { get; }

    /// <summary>Buffer in which control datagrams are built, one at a time, when they are pulled.</summary>
    internal byte[] Scratch { get; }

    internal ulong ClusterInstance { get; private set; }

    internal ulong SelfKey { get; private set; }

    /// <summary>The views this node is a member of.</summary>
    public IReadOnlyList<RegionRecovery> Regions => _regions;

    /// <summary>
    /// True while a removed sender's stream may be open in some view, or its removal is not confirmed by the server.
    /// </summary>
    internal bool IsClosing(ulong sender) => _removed.Exists(removed => removed.Node.Number.Key == sender);

    /// <summary>The node has been admitted to a cluster.</summary>
    public void Start(NodeInfo self, ulong clusterInstance)
    {
        SelfKey = self.Number.Key;
        ClusterInstance = clusterInstance;
    }

    /// <summary>The node has become a member of a view.</summary>
    /// <param name="view">The view.</param>
    /// <param name="channel">Its channel; null: it is carried by unicast.</param>
    /// <param name="hybrids">Channels of hybrid groups, which may carry packets of the view, too.</param>
    public RegionRecovery Open(RegionView view, IRegionChannel? channel, IReadOnlyList<IRegionChannel> hybrids)
    {
        var region = new RegionRecovery(this, view, view.IndexOf(SelfKey), channel, hybrids);
        RegionRecovery? before = _regions.FindLast(other => other.View.Region.Id == view.Region.Id);
        if (before is not null && Array.TrueForAll(view.Members, one => before.View.IndexOf(one.Number.Key) >= 0))
            region.Gaps.Follow(before);
        _regions.Add(region);
        return region;
    }

    /// <summary>Closes a view's recovery: the view has retired, or the node is gone from the cluster.</summary>
    public void Close(RegionRecovery region, Instant now)
    {
        region.Removed.Retire(now);
        region.Close();
        Parts.Forget(region.View);
        _regions.Remove(region);
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
            if (region.View.Number.Counter == viewCounter && region.ViewTag == viewTag) return region;
        }
        return null;
    }

    /// <summary>The batch of completions that brought the datagram being handled.</summary>
    public ulong Take { get; set; }

    /// <summary>
    /// A data socket was found empty. Packets named by tokens of this batch or an earlier one have been read, or were
    /// lost.
    /// </summary>
    public void OnDrained(IRegionChannel? channel, ulong take, Instant now)
    {
        foreach (RegionRecovery region in _regions)
        {
            if (channel is null || region.Channel == channel) region.Reading.OnDrained(channel is null, take, now);
        }
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
            Suspicions.OnAnswered(node.Number.Key);
        }
        foreach (RegionRecovery region in _regions) region.OnNodesRemoved(nodes, now);
        foreach (NodeInfo node in nodes)
        {
            Paths.Forget(node.Number.Key);
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
        Inbound.Close();
        Parts.Close();
        Lags.Close();
        _cacheArena.Close();
    }

    /// <summary>
    /// A removed sender's stream is closed in a view, or the view is gone. When no other stream of it is open, the
    /// sender is closed.
    /// </summary>
    internal void OnStreamClosed(NodeInfo sender, Instant now)
    {
        int index = _removed.FindIndex(removed => removed.Node == sender);
        if (index < 0 || !_removed[index].IsConfirmed) return;
        foreach (RegionRecovery region in _regions)
        {
            if (region.Removed.HasOpen(sender)) return;
        }
        _removed.RemoveAt(index);
        Deliverer.OnSenderClosed(sender, now);
    }

    /// <summary>This node leads the ring of a view that it sends to: feedback for its own stream.</summary>
    internal void Acknowledge(RegionView view, in AckBody ack, Instant now)
    {
        if (Disseminator.FindStream(view.Number.Tag, view.Number.Counter) is { } stream)
            Disseminator.OnAck(stream, ack, now);
    }

    internal bool HasCacheRoom(int bytes) => Counters.CachedBytes + bytes <= Settings.CacheBytes && !_pool.IsTight;

    /// <summary>Takes a reference to a packet that is to be kept: in place, or to a copy.</summary>
    /// <param name="datagram">The packet's bytes.</param>
    /// <param name="part">The same bytes in pooled memory, if they may stay there; else empty.</param>
    /// <param name="slice">The reference, which the caller releases.</param>
    /// <returns>False when there is no memory for a copy.</returns>
    internal bool TryCopyToCache(ReadOnlySpan<byte> datagram, in Slice part, out Slice slice)
    {
        if (!part.IsEmpty)
        {
            part.Retain();
            slice = part;
            return true;
        }
        return _cacheArena.TryCopy(datagram, out slice);
    }

    /// <summary>Takes memory for a packet that comes in parts.</summary>
    /// <returns>False when there is none.</returns>
    internal bool TryTakeCache(int bytes, out Slice slice) => _cacheArena.TryTake(bytes, out slice);

    /// <summary>The header of a control datagram from this node in one view.</summary>
    internal DatagramHeader Header(RegionView view, DatagramKind kind) => new()
    {
        Kind = kind,
        Cluster = ClusterInstance,
        ViewTag = view.Number.Tag,
        ViewCounter = view.Number.Counter,
        Sender = SelfKey,
    };

    /// <summary>Seals a control datagram in <see cref="Scratch"/> and makes its train.</summary>
    internal Train Seal(in DatagramHeader header, int bodyLength, NodeInfo to)
    {
        int length = DatagramHeader.Length + bodyLength;
        // Feedback in one view differs from sender to sender only by its destination, so the header names the
        // addressee.
        DatagramHeader sealing = header;
        if (DatagramKinds.IsFeedback(header.Kind)) sealing.Sequence = to.Number.Key;
        sealing.WriteTo(Scratch.AsSpan(0, length));
        Counters.ControlSent++;
        return new Train(Scratch.AsMemory(0, length), length, TrainRoute.Control, to.Control, null);
    }
}
