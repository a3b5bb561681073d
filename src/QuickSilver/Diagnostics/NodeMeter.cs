using System.Diagnostics.Metrics;

namespace QuickSilver.Diagnostics;

/// <summary>
/// A node's instruments on the meter "QuickSilver": observable only, fed from the newest cut of the statistics, so a listener runs on its own thread
/// and the core never calls one. Groups are no tags: there may be thousands of them, and backends fold what exceeds their limit; see
/// <see cref="QuickSilverNode.GetTopGroupsAsync"/>.
/// <para>
/// To publish an instrument and to take it away runs code of the application, on this thread: its meter factory, its listeners. What that throws is
/// logged, and costs the node nothing but the instrument.
/// </para>
/// </summary>
internal sealed class NodeMeter : IDisposable
{
    private const string MeterName = "QuickSilver";
    private const string SystemTag = "messaging.system";
    private const string SourceTag = "source";

    private static readonly KeyValuePair<string, object?> MessagingSystem = new(SystemTag, "quicksilver");
    private readonly Func<NodeStatistics> _read;
    private readonly NodeLog _log;
    private readonly Meter _meter;

    /// <summary>Makes the instruments.</summary>
    /// <param name="factory">Makes the meter; null: the node makes its own.</param>
    /// <param name="nodeName">Tags the meter, so that nodes of one process can be told apart.</param>
    /// <param name="transport">Tags the packets.</param>
    /// <param name="read">Gives the newest cut.</param>
    /// <param name="log">Told what the application's code throws.</param>
    public NodeMeter(IMeterFactory? factory, string nodeName, string transport, Func<NodeStatistics> read, NodeLog log)
    {
        _read = read;
        _log = log;
        var options = new MeterOptions(MeterName) { Tags = [new("quicksilver.node", nodeName)] };
        _meter = Make(factory, options);
        KeyValuePair<string, object?> carrier = new("transport", transport);

        Counter("messaging.client.sent.messages", "{message}", "Messages sent", static s => s.MessagesSent, MessagingSystem, Operation("send"));
        Counter(
            "messaging.client.consumed.messages", "{message}", "Taken by readers and handlers", static s => s.MessagesRead, MessagingSystem,
            Operation("receive"));
        Counter("quicksilver.messages.delivered", "{message}", "Delivered to groups, read or not", static s => s.MessagesReceived);
        Level("quicksilver.groups", "{group}", "Groups joined", static s => s.Groups);
        Level("quicksilver.regions", "{region}", "Regions known", static s => s.Regions);
        Level("quicksilver.members", "{member}", "Nodes in those regions", static s => s.Members);
        Level("quicksilver.members.missing", "{member}", "Members that the membership server waits for", static s => s.MembersMissing);
        Counter("quicksilver.view.changes", "{change}", "Changes of membership installed", static s => s.ViewChanges);
        Counter("quicksilver.membership.suspicions", "{suspicion}", "Members that began to be silent for longer than a second", static s => s.Suspicions);
        Level("quicksilver.lag.members", "{member}", "Members that hold up what is sent", static s => s.MembersHoldingUp);
        Gauge("quicksilver.lag.longest", "s", "For how long the slowest of them does", static s => s.LongestHoldUp.TotalSeconds);
        Counter("quicksilver.packets.sent", "{packet}", "Packets sent for the first time", static s => s.PacketsSent, carrier);
        Counter("quicksilver.packets.lent", "{packet}", "Packets of these read in place by others", static s => s.PacketsLent);
        Counter("quicksilver.packets.received", "{packet}", "Packets received for the first time", static s => s.PacketsReceived, carrier);
        Counter("quicksilver.packets.borrowed", "{packet}", "Packets of these read in place here", static s => s.PacketsBorrowed);
        Counter("quicksilver.packets.duplicate", "{packet}", "Packets that were here already", static s => s.PacketsDuplicate, carrier);
        Counter("quicksilver.packets.rejected", "{packet}", "Datagrams dropped because they broke a rule", static s => s.PacketsRejected, carrier);
        Counter("quicksilver.packets.lost", "{packet}", "Packets found missing", static s => s.PacketsMissed);
        Recovered();
        Counter("quicksilver.packets.joined", "{packet}", "Missing packets that came in parts", static s => s.PacketsJoined);
        Gauge("quicksilver.datagram.size", "By", "The longest datagram for the region with the narrowest way", static s => s.DatagramBytes);
        Level("quicksilver.paths.narrow", "{path}", "Ways to and from other nodes that drop long datagrams", static s => s.NarrowPaths);
        Counter("quicksilver.messages.lost", "{message}", "Messages that will never be delivered here", static s => s.MessagesLost);
        Gauge("quicksilver.token.round_trip", "s", "Smoothed duration of a token round", static s => s.TokenRoundTrip.TotalSeconds);
        Level("quicksilver.members.unicast", "{member}", "Members that multicast does not reach", static s => s.UnicastMembers);
        Counter("quicksilver.members.unicast.found", "{member}", "Times such a member was found", static s => s.MembersToUnicast);
        Gauge("quicksilver.rate.limit", "{packet}/s", "What the slowest region allows", static s => s.RateLimit);
        Gauge("quicksilver.rate.actual", "{packet}/s", "What was sent over the last second", static s => s.RateActual);
        Level("quicksilver.buffers.pending", "By", "Sent and not yet known to be held by every live member", static s => s.PendingBytes);
        Level("quicksilver.buffers.cached", "By", "Received packets kept for others and for delivery", static s => s.CachedBytes);
        Level("quicksilver.buffers.inbox", "By", "Unread", static s => s.InboxBytes);
        Counter("quicksilver.backpressure.episodes", "{episode}", "Times that sending to a group was shut", static s => s.BackpressureEpisodes);
        Counter("quicksilver.loop.turns", "{turn}", "Turns of the core thread", static s => s.LoopTurns);
        Counter("quicksilver.loop.stalls", "{stall}", "Times the core thread was held up", static s => s.Stalls);
        Gauge("quicksilver.loop.utilization", "1", "Share of time in which the core thread works", static s => s.LoopUtilization);
        Counter("quicksilver.consumer.dropped", "{message}", "Messages dropped by full inboxes", static s => s.MessagesDropped);
        Counter("quicksilver.consumer.slow", "{handle}", "Handles ended by full inboxes", static s => s.SlowConsumers);
        Counter("quicksilver.consumer.errors", "{error}", "Exceptions of handlers and feeds", static s => s.HandlerErrors);
        Counter("quicksilver.socket.drops", "{packet}", "Datagrams the kernel dropped for want of room", static s => s.SocketDrops);
    }

    /// <summary>Takes the instruments away.</summary>
    public void Dispose() => Guard(() => _meter.Dispose());

    private static KeyValuePair<string, object?> Operation(string name) => new("messaging.operation.name", name);

    private void Counter(
        string name, string unit, string description, Func<NodeStatistics, long> value, params KeyValuePair<string, object?>[] tags) =>
        Guard(() => _meter.CreateObservableCounter(name, () => new Measurement<long>(value(_read()), tags), unit, description));

    private void Level(string name, string unit, string description, Func<NodeStatistics, long> value) =>
        Guard(() => _meter.CreateObservableUpDownCounter(name, () => value(_read()), unit, description));

    private void Gauge(string name, string unit, string description, Func<NodeStatistics, double> value) =>
        Guard(() => _meter.CreateObservableGauge(name, () => value(_read()), unit, description));

    private void Recovered() => Guard(() => _meter.CreateObservableCounter(
        "quicksilver.packets.recovered",
        () =>
        {
            NodeStatistics now = _read();
            return new Measurement<long>[]
            {
                new(now.RepairsFromPeers, new KeyValuePair<string, object?>(SourceTag, "peer")),
                new(now.RepairsFromSenders, new KeyValuePair<string, object?>(SourceTag, "sender")),
            };
        },
        "{packet}",
        "Missing packets that were repaired"));

    private Meter Make(IMeterFactory? factory, MeterOptions options)
    {
        Meter? made = null;
        Guard(() => made = factory?.Create(options));
        return made ?? new Meter(options);
    }

    private void Guard(Action call)
    {
        try
        {
            call();
        }
        catch (Exception fault)
        {
            _log.Post(fault, static (logger, thrown) => Log.MeteringFailed(logger, thrown));
        }
    }
}
