using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Dissemination.Groups;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Tests.Dissemination;
using QuickSilver.Protocol.Tests.Modes;
using QuickSilver.Protocol.Timed;
using QuickSilver.Protocol.Timed.Groups;
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
    internal sealed class Half : ModeNode
    {
        public Half(TimedWorld owner, NodeInfo self, TimedSettings settings)
            : base(owner.World)
        {
            Engine = new TimedEngine(ContextOf(self, GroupModes.Timed), Counters);
            Open(Engine, Group, settings);
        }

        public TimedEngine Engine { get; }

        public TimedCounters Counters { get; } = new();

        public bool Keeps { get; set; } = true;

        public List<(ulong Number, byte[] Bytes)> Got { get; } = [];

        public List<(ulong First, ulong Count)> Lost { get; } = [];

        public RejectReason Take(ReadOnlySpan<byte> datagram, NodeInfo from) =>
            Take(datagram, from, SocketRole.Multicast);

        /// <inheritdoc/>
        protected override void OnMessages(in DeliveryBatch batch)
        {
            if (Keeps) Got.Add((batch.Number, batch.First.Span.ToArray()));
        }

        /// <inheritdoc/>
        protected override void OnLoss(ulong first, ulong count) => Lost.Add((first, count));
    }
}
