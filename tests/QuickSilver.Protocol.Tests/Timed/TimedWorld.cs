using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Delivery;
using QuickSilver.Protocol.Dissemination.Carriers;
using QuickSilver.Protocol.Dissemination.Groups;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Pull;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Modes;
using QuickSilver.Protocol.Probing;
using QuickSilver.Protocol.Tests.Dissemination;
using QuickSilver.Protocol.Timed;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Timed;

/// <summary>The engines of a sender and of a receiver of one timed group, with nothing between them but the
/// test.</summary>
internal sealed class TimedWorld
{
    private readonly SourceStub _source;

    public TimedWorld(TimedSettings? settings = null, int bytes = 100)
    {
        settings ??= new TimedSettings { PacketsPerSecond = 60, MaxMessageBytes = 256 << 10 };
        Nodes = World.Nodes(1, 3);
        View = World.View(1, 1, 1, Nodes, unicast: false, Group);
        World.Begin([Group], View);
        Sender = new Half(this, Nodes[0], settings);
        Receiver = new Half(this, Nodes[1], settings);
        Route = World.Open(Group);
        _source = new SourceStub(0, bytes);
        Route.AddSource(_source);
    }

    public static GroupInfo Group { get; } =
        new(new GroupId(SendWorld.ServerEpoch, 7), "g", GroupModes.Timed);

    public SendWorld World { get; } = new();

    public NodeInfo[] Nodes { get; }

    public RegionView View { get; }

    public Half Sender { get; }

    public Half Receiver { get; }

    public GroupSender Route { get; }

    public Instant Now
    {
        get => World.Now;
        private set => World.Now = value;
    }

    /// <summary>Gives the source messages more.</summary>
    public void Say(int messages)
    {
        _source.Ready += messages;
        Route.Signal(_source, Now);
    }

    public void Pass(TimeSpan time)
    {
        Instant end = Now + time;
        while (World.Alarms.NextDue <= end)
        {
            if (World.Alarms.NextDue > Now) Now = World.Alarms.NextDue;
            World.Alarms.FireNext(Now);
        }
        Now = end;
    }

    /// <summary>Everything that the sender sends reaches the receiver.</summary>
    public void Carry()
    {
        while (Sender.TryNext(out Train train)) Receiver.Take(train.Span, Nodes[0]);
    }

    /// <summary>What the sender sends now, as copies.</summary>
    public List<byte[]> Collect()
    {
        var sent = new List<byte[]>();
        while (Sender.TryNext(out Train train)) sent.Add(train.Span.ToArray());
        return sent;
    }

    /// <summary>One node's engine, and what comes of it.</summary>
    internal sealed class Half : ISink, IDeliveryListener
    {
        private readonly TimedWorld _owner;
        private readonly List<IFeed> _feeds = [];

        public Half(TimedWorld owner, NodeInfo self, TimedSettings settings)
        {
            _owner = owner;
            var transport = new SendTransport();
            Engine = new TimedEngine(
                new ModeContext
                {
                    Transport = transport,
                    Roots = this,
                    Alarms = owner.World.Alarms,
                    Random = new SeededRandom(self.Number.Counter),
                    Pool = owner.World.Pool,
                    Probes = Probes.None,
                    Cluster = owner.World.Cluster,
                    Outlet = self.Number.Counter == 1
                        ? owner.World.Disseminator.OutletOf(GroupModes.Timed)
                        : new SendWorld().Disseminator.OutletOf(GroupModes.Timed),
                    Casts = new RegionCasts(transport, owner.World.Disseminator.Paths, new CarrierMemory()),
                    SelfKey = self.Number.Key,
                    ClusterInstance = SendWorld.ClusterInstance,
                },
                Counters);
            var session = new ModeSession(Group, SendWorld.Step(1), false, settings, this, new ModeTotals());
            Engine.OnOpened(session, owner.Now);
            Engine.OnStepInstalled(
                new InstalledStep
                {
                    Number = SendWorld.Step(1),
                    Opened = [],
                    Superseded = [],
                    Layout = owner.World.Cluster.Layout,
                    Joined = [],
                    Left = [],
                    Removed = [],
                },
                owner.Now);
        }

        public TimedEngine Engine { get; }

        public TimedCounters Counters { get; } = new();

        public bool Keeps { get; set; } = true;

        public List<(ulong Number, byte[] Bytes)> Got { get; } = [];

        public List<(ulong First, ulong Count)> Lost { get; } = [];

        public bool TryNext(out Train train)
        {
            while (_feeds.Count > 0)
            {
                IFeed feed = _feeds[0];
                if (feed.TryPull(_owner.Now, out train)) return true;
                _feeds.Remove(feed);
            }
            train = default;
            return false;
        }

        public RejectReason Take(ReadOnlySpan<byte> datagram, NodeInfo from)
        {
            // Asserts without allocating, as what is allocated is counted.
            if (DatagramHeader.TryRead(datagram, out DatagramHeader header) != RejectReason.None)
                Assert.Fail("the header is bad");
            var arrival = new Arrival(SocketRole.Multicast, from.Data);
            return Engine.OnDatagram(header, from, datagram[DatagramHeader.Length..], arrival, _owner.Now);
        }

        void ISink.Register(IFeed feed, PriorityClass priority)
        {
            // A feed that is asked and registers itself stays; the list is short.
            if (!_feeds.Contains(feed)) _feeds.Add(feed);
        }

        void IDeliveryListener.OnMessages(NodeInfo sender, in DeliveryBatch batch, Instant now)
        {
            if (Keeps) Got.Add((batch.Number, batch.First.Span.ToArray()));
        }

        void IDeliveryListener.OnLoss(NodeInfo sender, ulong first, ulong count, Instant now) =>
            Lost.Add((first, count));

        void IDeliveryListener.OnSenderClosed(NodeInfo sender, Instant now)
        {
        }
    }
}
