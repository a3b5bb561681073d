using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Dissemination;
using QuickSilver.Protocol.Dissemination.Groups;
using QuickSilver.Protocol.Dissemination.Messages;
using QuickSilver.Protocol.Dissemination.Sending;
using QuickSilver.Protocol.Dissemination.Streams;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Flow.Control;
using QuickSilver.Protocol.Flow.Limits;
using QuickSilver.Protocol.Flow.Pull;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Membership.Agent;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Dissemination;

/// <summary>The sending half of node 1, with a cluster that the test writes, time that the test moves, and a sink that
/// asks when the test says so and keeps copies of what it got.</summary>
internal sealed class SendWorld : ISink, IDisseminationEvents
{
    public const ulong ClusterInstance = 4711;
    public static readonly Epoch ServerEpoch = new(1, 9);

    private readonly List<(IFeed Feed, PriorityClass Priority)> _feeds = [];
    private readonly List<RegionView> _superseded = [];
    private readonly Dictionary<GroupId, OpenedGroup> _opened = [];
    private readonly Dictionary<GroupSender, HandingSource> _sources = [];

    public SendWorld(
        DisseminationSettings? settings = null, int slotBytes = 1372, int trainDatagrams = 64,
        int receiveBuffer = 64 << 20, PendingQuota? pending = null)
    {
        ReceiveBuffer = receiveBuffer;
        Pool = new BufferPool(budget: Memory);
        Self = Node(1);
        Cluster = new SendCluster(Self);
        Transport.Facts = Transport.Facts with { SlotBytes = slotBytes, TrainDatagrams = trainDatagrams };
        settings ??= new DisseminationSettings { Rate = new RateSettings { Fixed = true, Initial = 1e9 } };
        Disseminator = new Disseminator(
            settings, pending ?? new PendingQuota(), Transport, this, Alarms, Pool, Counters, this);
        Disseminator.Start(Self, ClusterInstance);
    }

    public AlarmQueue Alarms { get; } = new();

    public ScarceMemory Memory { get; } = new();

    public BufferPool Pool { get; }

    public DisseminationCounters Counters { get; } = new();

    public SendTransport Transport { get; } = new();

    public SendCluster Cluster { get; }

    public Disseminator Disseminator { get; }

    public NodeInfo Self { get; }

    public Instant Now { get; set; } = new(TimeSpan.TicksPerSecond);

    public int ReceiveBuffer { get; }

    /// <summary>Off for measurements of allocation.</summary>
    public bool Keeps { get; set; } = true;

    public List<SentTrain> Trains { get; } = [];

    public List<(GroupSender Group, ulong Number, byte[] Bytes)> Own { get; } = [];

    /// <summary>How many own messages were handed over at a time.</summary>
    public List<int> OwnRuns { get; } = [];

    public List<(GroupSender Group, bool Open)> Gates { get; } = [];

    public List<RegionView> Done { get; } = [];

    public List<(NodeInfo Member, CarrierChange Change)> Changes { get; } = [];

    public int Advanced { get; private set; }

    public Action<GroupSender, ulong>? OnOwn { get; set; }

    public IEnumerable<SentTrain> DataTrains => Trains.Where(train => train.Kind == DatagramKind.Data);

    public IEnumerable<byte[]> Beacons =>
        Trains.Where(train => train.Kind == DatagramKind.Beacon).Select(train => train.Datagrams[0]);

    public NodeInfo Node(uint number) => new(
        new NodeNumber(ServerEpoch, number), $"n{number}", 1, new NetEndpoint(number, 1), new NetEndpoint(number, 2),
        ReceiveBuffer);

    public NodeInfo[] Nodes(uint first, int count) =>
        [.. Enumerable.Range(0, count).Select(index => first + (uint)index == 1 ? Self : Node(first + (uint)index))];

    public static GroupInfo Group(uint counter) => new(new GroupId(ServerEpoch, counter), $"g{counter}", 0);

    public static StepNumber Step(ulong counter) => new(ServerEpoch, counter);

    /// <summary>Makes a view; carried by multicast unless told otherwise.</summary>
    public RegionView View(
        uint region, uint number, ulong step, NodeInfo[] members, bool unicast, params GroupInfo[] groups) => new(
        new ViewNumber(ServerEpoch, number),
        new RegionInfo(new RegionId(ServerEpoch, region), [.. groups.Select(group => group.Id).Order()]),
        Step(step),
        members,
        unicast ? default : new NetEndpoint(0xEF000000 + number, 15000),
        5);

    /// <summary>Installs a step that opens some views, each in the place of its region's view before.</summary>
    public void Install(ulong step, params RegionView[] opened)
    {
        _superseded.Clear();
        foreach (RegionView view in opened)
        {
            _superseded.AddRange(Cluster.Current.Where(current => current.Region.Id == view.Region.Id));
            Cluster.Current.RemoveAll(current => current.Region.Id == view.Region.Id);
            Cluster.Current.Add(view);
        }
        Report(step, opened);
    }

    /// <summary>Installs a step that ends some views without successors.</summary>
    public void InstallEnd(ulong step, params RegionView[] ended)
    {
        _superseded.Clear();
        _superseded.AddRange(ended);
        Cluster.Current.RemoveAll(ended.Contains);
        Report(step, []);
    }

    public void Switch() => Disseminator.SwitchTo(Cluster.Step, Cluster, Now);

    /// <summary>Joins groups and sends in a first step that has these views.</summary>
    public void Begin(GroupInfo[] groups, params RegionView[] views)
    {
        foreach (GroupInfo group in groups) Cluster.Join(group);
        Install(1, views);
        Switch();
    }

    /// <summary>The sender of a group.</summary>
    public GroupSender Open(GroupInfo group)
    {
        if (_opened.TryGetValue(group.Id, out OpenedGroup? known)) return known.Sender;
        var opened = new OpenedGroup(this);
        _opened.Add(group.Id, opened);
        return opened.Sender = Disseminator.OpenGroup(group, opened);
    }

    public StreamSender Stream(RegionView view) => Disseminator.FindStream(view.Number.Tag, view.Number.Counter)!;

    /// <summary>Gives a message to the group's own source, which hands it over when it is asked.</summary>
    public void Send(GroupSender group, byte[] bytes, SendTicket? ticket = null, bool isPiece = false) =>
        Send(group, new SendPayload(bytes), ticket, isPiece);

    /// <inheritdoc cref="Send(GroupSender, byte[], SendTicket?, bool)"/>
    public void Send(GroupSender group, SendPayload payload, SendTicket? ticket = null, bool isPiece = false)
    {
        HandingSource source = SourceOf(group);
        source.Add(payload, ticket, isPiece);
        group.Signal(source, Now);
    }

    /// <summary>Messages sent to a group that have not been asked for.</summary>
    public int Waiting(GroupSender group) => SourceOf(group).Waiting;

    /// <summary>Gives up the messages that have not been asked for.</summary>
    public void DropWaiting()
    {
        foreach (HandingSource source in _sources.Values) source.Drop();
    }

    /// <summary>Asks the feeds in turn, one train each, until none has anything.</summary>
    /// <returns>How many trains came.</returns>
    public int PullAll(int most = int.MaxValue)
    {
        int trains = 0;
        while (_feeds.Count > 0 && trains < most)
        {
            (IFeed feed, PriorityClass priority) = _feeds[0];
            _feeds.RemoveAt(0);
            if (!feed.TryPull(Now, out Train train)) continue;
            _feeds.Add((feed, priority));
            trains++;
            if (Keeps) Trains.Add(new SentTrain(train, priority));
        }
        return trains;
    }

    /// <summary>Lets time pass, alarm by alarm, asking the feeds after each.</summary>
    public void RunFor(TimeSpan time)
    {
        Instant end = Now + time;
        PullAll();
        while (Alarms.NextDue <= end)
        {
            if (Alarms.NextDue > Now) Now = Alarms.NextDue;
            while (Alarms.FireNext(Now))
            {
            }
            PullAll();
        }
        Now = end;
    }

    public bool Ack(StreamSender stream, ulong stable, ulong? readPosition = null, int streams = 1, ulong drops = 0) =>
        Disseminator.OnAck(stream, new AckBody(stable, stream.Highest, readPosition, streams, drops), Now);

    /// <summary>Everything sent so far is stable and read.</summary>
    public void AckAll()
    {
        foreach (StreamSender stream in Disseminator.Streams) Ack(stream, stream.Highest, stream.Highest);
    }

    public bool Nak(StreamSender stream, NodeInfo asker, bool wide, params SequenceRange[] ranges)
    {
        Span<byte> body = new byte[NakBody.MaxLength];
        var writer = new WireWriter(body);
        NakBody.Write(ref writer, wide, ranges);
        Assert.True(NakBody.TryRead(body[..writer.Written], out NakBody nak));
        return Disseminator.OnNak(stream, nak, asker, Now);
    }

    public void Remove(params NodeInfo[] nodes)
    {
        foreach (NodeInfo node in nodes) node.IsRemoved = true;
        Disseminator.OnNodesRemoved(nodes, Now);
    }

    void ISink.Register(IFeed feed, PriorityClass priority)
    {
        foreach ((IFeed known, _) in _feeds)
        {
            if (known == feed) return;
        }
        _feeds.Add((feed, priority));
    }

    private void OnOwnMessages(GroupSender group, in DeliveryBatch run)
    {
        if (Keeps) OwnRuns.Add(run.Count);
        for (int index = 0; index < run.Count; index++)
        {
            if (Keeps) Own.Add((group, run.Number + (ulong)index, run[index].Span.ToArray()));
            OnOwn?.Invoke(group, run.Number + (ulong)index);
        }
    }

    void IDisseminationEvents.OnStreamAdvanced(StreamSender stream, FeedbackUrgency urgency, Instant now) => Advanced++;

    void IDisseminationEvents.OnDone(RegionView view, Instant now) => Done.Add(view);

    private HandingSource SourceOf(GroupSender group)
    {
        if (_sources.TryGetValue(group, out HandingSource? source)) return source;
        source = new HandingSource();
        _sources.Add(group, source);
        group.AddSource(source);
        return source;
    }

    void IDisseminationEvents.OnCarrierChanged(NodeInfo member, CarrierChange change, Instant now) =>
        Changes.Add((member, change));

    private void Report(ulong step, RegionView[] opened)
    {
        Cluster.Step = Step(step);
        Disseminator.OnStepInstalled(
            new InstalledStep
            {
                Number = Step(step),
                Opened = opened,
                Superseded = [.. _superseded],
                Layout = Cluster.Layout,
                Joined = [],
                Left = [],
                Removed = [],
            });
    }

    private sealed class OpenedGroup(SendWorld world) : ISenderListener
    {
        public GroupSender Sender { get; set; } = null!;

        void ISenderListener.OnOwnMessages(StepNumber step, in DeliveryBatch run, Instant now) =>
            world.OnOwnMessages(Sender, run);

        void ISenderListener.OnGateChanged(bool open, Instant now) => world.Gates.Add((Sender, open));
    }
}
