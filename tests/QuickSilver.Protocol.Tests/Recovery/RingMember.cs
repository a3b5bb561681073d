using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Flow.Pull;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Recovery;
using QuickSilver.Protocol.Recovery.Repairs;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Recovery;

/// <summary>One member of a <see cref="RingWorld"/>.</summary>
internal sealed class RingMember : ITransport, IRecoveryEvents
{
    private readonly RingWorld _world;
    private readonly Recoverer _recoverer;

    public RingMember(RingWorld world, int index, RecoverySettings settings, TransportFacts facts)
    {
        _world = world;
        Index = index;
        Facts = facts;
        Roots = new SocketRoots(this, Alarms, Pool);
        _recoverer = new Recoverer(
            settings, this, Roots, Alarms, new SeededRandom((ulong)index), Pool, Counters, new LoneSender(world), this);
        _recoverer.Start(world.View.Members[index], 77);
        Region = _recoverer.Open(world.View, null, []);
    }

    public int Index { get; }

    public AlarmQueue Alarms { get; } = new();

    public BufferPool Pool { get; } = new();

    public RecoveryCounters Counters { get; } = new();

    public SocketRoots Roots { get; }

    public RegionRecovery Region { get; }

    public RepairParts Parts => _recoverer.Parts;

    public SortedSet<ulong> Received { get; } = [];

    /// <summary>How often the sender was found unheard.</summary>
    public int Unheard { get; private set; }

    /// <summary>Removed senders whose stream is closed here.</summary>
    public List<NodeInfo> Closed { get; } = [];

    public List<(NodeInfo Sender, bool IsTail)> Abandoned { get; } = [];

    /// <summary>Removed senders of which nothing more is waited for.</summary>
    public List<NodeInfo> Gone { get; } = [];

    /// <summary>Members that were behind in the round heard of last.</summary>
    public LagList Behind { get; } = new();

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

    public void Close() => _recoverer.Close();

    public SendOutcome Send(in Train train)
    {
        _world.Send(train, Index);
        return SendOutcome.Sent;
    }

    public IRegionChannel? Open(NetEndpoint group, bool receive) => null;

    public void Close(IRegionChannel channel, bool receive)
    {
    }

    public bool HasRoomFor(int bytes) => true;

    public bool HasRoomFor(RegionView view, NodeInfo sender, ReadOnlySpan<byte> datagram) => true;

    public bool TryTakeBeyondCap(RegionView view, NodeInfo sender, ReadOnlySpan<byte> datagram) => true;

    public bool MayTakeBeyondCap(RegionView view, NodeInfo sender) => true;

    public bool IsWellFormed(RegionView view, ReadOnlySpan<byte> datagram) =>
        datagram.Length == DatagramHeader.Length + 8;

    public void OnPacket(RegionView view, NodeInfo sender, in Slice datagram, Instant now) =>
        Assert.True(
            Received.Add(BitConverter.ToUInt64(datagram.Span[DatagramHeader.Length..])), "a packet is handed on once");

    public void OnSenderUnheard(NodeInfo sender, Instant now) => Unheard++;

    public void OnRemovalHeard(NodeInfo removed, Instant now)
    {
        removed.IsRemoved = true;
        Learn(removed, now);
    }

    public void OnStreamsClosed(RegionView view, IReadOnlyList<NodeInfo> senders, Instant now) =>
        Closed.AddRange(senders);

    public void OnPacketsAbandoned(RegionView view, NodeInfo sender, bool isTail) => Abandoned.Add((sender, isTail));

    public void OnSenderClosed(NodeInfo sender, Instant now) => Gone.Add(sender);

    public void OnRoundTold(RegionView view, LagList behind, Instant now) => Behind.CopyFrom(behind);

    public void OnOwnAck(RegionView view, in AckBody ack, Instant now) => Assert.Fail("nobody in the region sends");

    private sealed class LoneSender(RingWorld world) : ClusterView
    {
        public override StepNumber Installed => world.View.FirstStep;

        public override NodeInfo? Self => null;

        public override GroupLayout Layout =>
            new(world.View.FirstStep, world.View, world.View.Region.Groups, [world.View], [], []);

        public override NodeInfo? FindNode(ulong key) => world.Sender.Number.Key == key ? world.Sender : null;
    }
}
