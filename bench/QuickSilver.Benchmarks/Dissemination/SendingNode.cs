using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Dissemination;
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
using ProtocolSender = QuickSilver.Protocol.Dissemination.Groups.GroupSender;
using ProtocolView = QuickSilver.Protocol.Membership.RegionView;

namespace QuickSilver.Benchmarks.Dissemination;

/// <summary>
/// The sending half of a node with one group and one other member, without sockets: trains are taken and thrown away,
/// and known stable at once. Datagrams have the length that they have over loopback.
/// </summary>
internal sealed class SendingNode : ITransport, ISink, IDisseminationEvents, ISenderListener
{
    private static readonly Epoch ServerEpoch = new(1, 7);
    private static readonly Instant Start = new(TimeSpan.TicksPerSecond);

    private readonly Disseminator _disseminator;
    private IFeed? _feed;

    /// <summary>Makes the node; its group is open.</summary>
    public SendingNode()
    {
        var settings = new DisseminationSettings { Rate = new RateSettings { Fixed = true, Initial = 1e12 } };
        _disseminator = new Disseminator(
            settings, new PendingQuota(), this, this, new AlarmQueue(), new BufferPool(), new DisseminationCounters(),
            this);
        var self = new NodeInfo(new NodeNumber(ServerEpoch, 1), "self", 1, default, default, 1 << 30);
        var other = new NodeInfo(new NodeNumber(ServerEpoch, 2), "other", 1, default, default, 1 << 30);
        var group = new GroupInfo(new GroupId(ServerEpoch, 1), "group", 0);
        var step = new StepNumber(ServerEpoch, 1);
        var view = new ProtocolView(
            new ViewNumber(ServerEpoch, 1), new RegionInfo(new RegionId(ServerEpoch, 1), [group.Id]), step,
            [self, other], default, 5);
        var cluster = new OneRegion(self, group, view);
        _disseminator.Start(self, clusterInstance: 1);
        _disseminator.OnStepInstalled(
            new InstalledStep
            {
                Number = step,
                Opened = [view],
                Superseded = [],
                Layout = cluster.Layout,
                Joined = [],
                Left = [],
                Removed = [],
            });
        _disseminator.SwitchTo(step, cluster, Start);
        Group = _disseminator.OpenGroup(group, this);
    }

    /// <summary>The group's sender.</summary>
    public ProtocolSender Group { get; }

    /// <summary>Messages that were delivered to the node itself.</summary>
    public ulong Own { get; private set; }

    /// <summary>The present instant, which never moves.</summary>
    public Instant Now => Start;

    /// <inheritdoc/>
    public TransportFacts Facts { get; } = new(
        default, default, Train.MaxBytes, 1, 1 << 30, true, ChecksumPayloads: false);

    /// <summary>Takes every train that the node has, and tells it that all of it is stable.</summary>
    /// <returns>Bytes of the trains.</returns>
    public long SendAll()
    {
        long bytes = 0;
        while (_feed is { } feed)
        {
            _feed = null;
            while (feed.TryPull(Start, out Train train)) bytes += train.Length;
            StreamSender stream = _disseminator.Streams[0];
            _disseminator.OnAck(stream, new AckBody(stream.Highest, stream.Highest, stream.Highest, 1, 0), Start);
        }
        return bytes;
    }

    /// <inheritdoc/>
    public IRegionChannel? Open(NetEndpoint group, bool receive) => null;

    /// <inheritdoc/>
    public void Close(IRegionChannel channel, bool receive) => throw new InvalidOperationException("none was opened");

    /// <inheritdoc/>
    public SendOutcome Send(in Train train) => SendOutcome.Sent;

    /// <inheritdoc/>
    public void Register(IFeed feed, PriorityClass priority) => _feed = feed;

    /// <inheritdoc/>
    public void OnOwnMessages(StepNumber step, in DeliveryBatch run, Instant now) => Own += (ulong)run.Count;

    /// <inheritdoc/>
    public void OnGateChanged(bool open, Instant now)
    {
    }

    /// <inheritdoc/>
    public void OnStreamAdvanced(StreamSender stream, FeedbackUrgency urgency, Instant now)
    {
    }

    /// <inheritdoc/>
    public void OnDone(ProtocolView view, Instant now)
    {
    }

    /// <inheritdoc/>
    public void OnCarrierChanged(NodeInfo member, CarrierChange change, Instant now)
    {
    }
}
