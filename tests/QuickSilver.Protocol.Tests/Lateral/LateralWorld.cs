using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Dissemination.Groups;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Lateral;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Tests.Dissemination;
using QuickSilver.Protocol.Tests.Modes;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Lateral;

/// <summary>The engines of the members of one lateral group, with nothing between them but the test. The first member
/// sends.</summary>
internal sealed class LateralWorld
{
    private readonly SourceStub _source;
    private readonly GroupSender _route;
    private int _datagrams;

    public LateralWorld(int members, LateralSettings? settings = null, int bytes = 100, int slot = 1372)
    {
        World = new SendWorld(slotBytes: slot);
        _source = new SourceStub(0, bytes);
        Nodes = World.Nodes(1, members);
        RegionView view = World.View(1, 1, 1, Nodes, unicast: false, Group);
        World.Cluster.Known = Nodes;
        World.Begin([Group], view);
        Members = [.. Nodes.Select(node => new Member(this, node, settings ?? new LateralSettings()))];
        _route = World.Open(Group);
        _route.AddSource(_source);
    }

    public static GroupInfo Group { get; } =
        new(new GroupId(SendWorld.ServerEpoch, 7), "g", GroupModes.Lateral);

    public SendWorld World { get; }

    public NodeInfo[] Nodes { get; }

    public Member[] Members { get; }

    /// <summary>Of the multicasts that reach a member other than the first, each so-manieth is lost; 0: none.</summary>
    public int LoseEach { get; set; }

    /// <summary>Says which datagrams a member does not get; null: by <see cref="LoseEach"/> alone.</summary>
    public Func<int, DatagramKind, bool>? Loses { get; set; }

    /// <summary>The longest datagram that was sent.</summary>
    public int Longest { get; private set; }

    /// <summary>Gives the first member messages to send.</summary>
    public void Say(int messages)
    {
        _source.Ready += messages;
        _route.Signal(_source, World.Now);
    }

    /// <summary>Time passes; alarms fire.</summary>
    public void Pass(TimeSpan time)
    {
        Instant end = World.Now + time;
        while (World.Alarms.NextDue <= end)
        {
            if (World.Alarms.NextDue > World.Now) World.Now = World.Alarms.NextDue;
            World.Alarms.FireNext(World.Now);
            Carry();
        }
        World.Now = end;
    }

    /// <summary>Everything that members send reaches the others, but for what is lost.</summary>
    public void Carry()
    {
        bool isQuiet = false;
        while (!isQuiet)
        {
            isQuiet = true;
            for (int from = 0; from < Members.Length; from++)
            {
                while (Members[from].TryNext(out Train train))
                {
                    isQuiet = false;
                    Spread(from, train);
                }
            }
        }
    }

    private void Spread(int from, in Train train)
    {
        Longest = Math.Max(Longest, Math.Min(train.SegmentBytes, train.Length));
        _ = DatagramHeader.TryRead(train.Span, out DatagramHeader header);
        for (int to = 0; to < Members.Length; to++)
        {
            if (to == from) continue;
            bool isCast = train.Route == TrainRoute.Region;
            if (!isCast && train.To != Nodes[to].Data && train.To != Nodes[to].Control) continue;
            if (isCast && LoseEach > 0 && ++_datagrams % LoseEach == 0) continue;
            if (Loses?.Invoke(to, header.Kind) == true) continue;
            Members[to].Take(train.Span, Nodes[from]);
        }
    }

    /// <summary>One member's engine, and what comes of it.</summary>
    internal sealed class Member : ModeNode
    {
        public Member(LateralWorld owner, NodeInfo self, LateralSettings settings)
            : base(owner.World)
        {
            Engine = new LateralEngine(ContextOf(self, GroupModes.Lateral), Counters, cacheBytes: 256 << 10);
            Open(Engine, Group, settings);
        }

        public LateralEngine Engine { get; }

        public LateralCounters Counters { get; } = new();

        public long Got { get; private set; }

        public long Lost { get; private set; }

        public RejectReason Offer(ReadOnlySpan<byte> datagram, NodeInfo from) =>
            Take(datagram, from, SocketRole.Unicast);

        public void Take(ReadOnlySpan<byte> datagram, NodeInfo from)
        {
            if (Take(datagram, from, SocketRole.Unicast) != RejectReason.None) Assert.Fail("a datagram was rejected");
        }

        /// <inheritdoc/>
        protected override void OnMessages(in DeliveryBatch batch) => Got += batch.Count;

        /// <inheritdoc/>
        protected override void OnLoss(ulong first, ulong count) => Lost += (long)count;
    }
}
