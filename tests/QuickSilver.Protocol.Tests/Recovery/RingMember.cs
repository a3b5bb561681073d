using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Delivery;
using QuickSilver.Protocol.Dissemination;
using QuickSilver.Protocol.Dissemination.Sending;
using QuickSilver.Protocol.Dissemination.Streams;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Flow.Limits;
using QuickSilver.Protocol.Flow.Pull;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Recovery;
using QuickSilver.Protocol.Recovery.Regions;
using QuickSilver.Protocol.Recovery.Repairs;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Recovery;

/// <summary>One member of a <see cref="RingWorld"/>.</summary>
internal sealed class RingMember : ITransport, IRecoveryEvents, IDisseminationEvents
{
    private readonly RingWorld _world;
    private readonly Recoverer _recoverer;
    private readonly Deliverer _deliverer;

    public RingMember(RingWorld world, int index, RecoverySettings settings, TransportFacts facts)
    {
        _world = world;
        Index = index;
        Facts = facts;
        Roots = new SocketRoots(this, Alarms, Pool);
        var delivered = new DeliveryCounters(new RejectCounters());
        _deliverer = new Deliverer(new DeliverySettings(), Pool, delivered);
        _deliverer.OnStepInstalled(world.View.FirstStep, new Instant(1));
        var disseminator = new Disseminator(
            new DisseminationSettings(), new PendingQuota(), this, Roots, Alarms, Pool, new DisseminationCounters(),
            this);
        _recoverer = new Recoverer(new RecoveryContext(
            settings, this, Roots, Alarms, Pool, Counters, new LoneSender(world), _deliverer, disseminator, this));
        _recoverer.Start(world.View.Members[index], 77);
        Region = _recoverer.Open(world.View, null, []);
    }

    public int Index { get; }

    public AlarmQueue Alarms { get; } = new();

    public BufferPool Pool { get; } = new();

    public RecoveryCounters Counters { get; } = new();

    public SocketRoots Roots { get; }

    public RegionRecovery Region { get; }

    public RepairParts Parts => _recoverer.Joins;

    /// <summary>Packets that were stored and handed on, each once.</summary>
    public ulong Received => Counters.PacketsReceived;

    /// <summary>How often the sender was found unheard.</summary>
    public int Unheard { get; private set; }

    /// <summary>Removed senders whose stream is closed here.</summary>
    public List<NodeInfo> Closed { get; } = [];

    public TransportFacts Facts { get; }

    private static Arrival Unchecked => new(SocketRole.Multicast, default) { IsUnchecked = true };

    public void Take(byte[] datagram, Instant now)
    {
        Assert.Equal(RejectReason.None, DatagramHeader.TryRead(datagram, out DatagramHeader header));
        ReadOnlySpan<byte> body = datagram.AsSpan(DatagramHeader.Length);
        RejectReason reason = header.Kind switch
        {
            DatagramKind.Token => Region.OnToken(header, body, now),
            DatagramKind.TokenAck => Region.OnTokenAck(header, body, now),
            DatagramKind.Pull => Region.OnPull(header, body, now),
            DatagramKind.Beacon => Region.OnBeacon(header, Unchecked, now),
            _ => Region.OnPacket(header, datagram, default, Unchecked, now),
        };
        Assert.Equal(RejectReason.None, reason);
    }

    /// <summary>The membership server says that a node is removed; its record says so already.</summary>
    public void Learn(NodeInfo node, Instant now)
    {
        _recoverer.OnNodesRemoved([node], now);
        _recoverer.OnRemovalConfirmed(node, now);
    }

    /// <summary>The members that this one finds silent now.</summary>
    public IEnumerable<ulong> FindSilent(Instant now)
    {
        var observed = new NodeObservations();
        _recoverer.Observe(observed, now);
        return observed.Silent.Select(silent => silent.Node);
    }

    public void Close()
    {
        _recoverer.Close();
        _deliverer.Close();
    }

    public SendOutcome Send(in Train train)
    {
        _world.Send(train, Index);
        return SendOutcome.Sent;
    }

    public IRegionChannel? Open(NetEndpoint group, bool receive) => null;

    public void Close(IRegionChannel channel, bool receive)
    {
    }

    public void OnSenderUnheard(NodeInfo sender, Instant now) => Unheard++;

    public void OnRemovalHeard(NodeInfo removed, Instant now)
    {
        removed.IsRemoved = true;
        Learn(removed, now);
    }

    public void OnStreamsClosed(RegionView view, IReadOnlyList<NodeInfo> senders, Instant now) =>
        Closed.AddRange(senders);

    void IDisseminationEvents.OnStreamAdvanced(StreamSender stream, FeedbackUrgency urgency, Instant now) =>
        Assert.Fail("nobody in the region sends");

    void IDisseminationEvents.OnDone(RegionView view, Instant now) => Assert.Fail("no view ends");

    void IDisseminationEvents.OnCarrierChanged(NodeInfo member, CarrierChange change, Instant now) =>
        Assert.Fail("nobody in the region sends");

    private sealed class LoneSender(RingWorld world) : ClusterView
    {
        public override StepNumber Installed => world.View.FirstStep;

        public override NodeInfo? Self => null;

        public override GroupLayout Layout =>
            new(world.View.FirstStep, world.View, world.View.Region.Groups, [world.View], [], []);

        public override NodeInfo? FindNode(ulong key) => world.Sender.Number.Key == key ? world.Sender : null;
    }
}
