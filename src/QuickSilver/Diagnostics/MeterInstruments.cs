using System.Diagnostics.Metrics;

namespace QuickSilver.Diagnostics;

/// <summary>
/// Publishes the instruments of the nodes that share a meter. All but two are observable and read the latest
/// statistics, so listeners run on their own thread. Each figure has the tag of its node. Groups are not tags: there
/// may be thousands, and backends merge tags beyond their limit; see <see cref="QuickSilverNode.GetTopGroupsAsync"/>.
/// What belongs to a mode of groups has no figure of a node that has not used the mode.
/// </summary>
/// <param name="meter">The meter.</param>
/// <param name="nodes">Returns the present nodes. Any thread.</param>
/// <param name="guard">Runs code of the application.</param>
internal sealed class MeterInstruments(Meter meter, Func<NodeMeter[]> nodes, Action<Action> guard)
{
    private const string SystemTag = "messaging.system";
    private const string SourceTag = "source";
    private const string TokenRounds = "quicksilver.token.round.duration";
    private const string LoopPhases = "quicksilver.loop.phase.duration";

    private static readonly double[] RoundSeconds =
        [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];

    private static readonly double[] PhaseSeconds =
        [0.000001, 0.0000025, 0.000005, 0.00001, 0.000025, 0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.005, 0.01, 0.1];

    private static readonly KeyValuePair<string, object?> MessagingSystem = new(SystemTag, "quicksilver");
    private static readonly LateralStatistics NoLateral = new();
    private static readonly TimedStatistics NoTimed = new();
    private static readonly OrderedStatistics NoOrdered = new();

    /// <summary>The durations of token rounds; null before they are published.</summary>
    public Histogram<double>? Rounds { get; private set; }

    /// <summary>The durations of the phases of busy turns; null before they are published.</summary>
    public Histogram<double>? Phases { get; private set; }

    /// <summary>Publishes all. Runs code of the application: its listeners.</summary>
    public void Publish()
    {
        Counter(
            "messaging.client.sent.messages", "{message}", "Messages sent",
            static s => s.MessagesSent, [MessagingSystem, Operation("send")]);
        Counter(
            "messaging.client.consumed.messages", "{message}", "Taken by readers and handlers",
            static s => s.MessagesRead, [MessagingSystem, Operation("receive")]);
        Counter(
            "quicksilver.messages.delivered", "{message}", "Delivered to groups, read or not",
            static s => s.MessagesReceived);
        Level("quicksilver.groups", "{group}", "Groups joined", static s => s.Groups);
        Level("quicksilver.publishers", "{group}", "Groups published to", static s => s.Publishers);
        Level("quicksilver.regions", "{region}", "Regions known", static s => s.Regions);
        Level("quicksilver.members", "{member}", "Nodes in those regions", static s => s.Members);
        Level(
            "quicksilver.members.missing", "{member}", "Members that the membership server waits for",
            static s => s.MembersMissing);
        Counter("quicksilver.view.changes", "{change}", "Changes of membership installed", static s => s.ViewChanges);
        Counter(
            "quicksilver.membership.suspicions", "{suspicion}", "Members that became silent for over a second",
            static s => s.Suspicions);
        Level(
            "quicksilver.lag.members", "{member}", "Members that hold up messages sent",
            static s => s.MembersHoldingUp);
        Gauge(
            "quicksilver.lag.longest", "s", "How long the slowest of them has done so",
            static s => s.LongestHoldUp.TotalSeconds);
        Counter(
            "quicksilver.lag.shed", "{member}", "Members removed because they were too slow",
            static s => s.MembersShed);
        CarrierCounter(
            "quicksilver.packets.sent", "{packet}", "Packets sent for the first time",
            static s => s.PacketsSent);
        Counter(
            "quicksilver.packets.lent", "{packet}", "Sent packets that others read in place",
            static s => s.PacketsLent);
        Counter(
            "quicksilver.packets.hybrid.sent", "{packet}", "Packets sent once for several regions",
            static s => s.HybridPacketsSent);
        Counter(
            "quicksilver.packets.hybrid.received", "{packet}", "Packets received by the addresses of hybrid groups",
            static s => s.HybridPacketsReceived);
        Counter(
            "quicksilver.hybrid.fallbacks", "{message}", "Messages of hybrid groups sent by packets of regions",
            static s => s.HybridFallbacks);
        CarrierCounter(
            "quicksilver.packets.received", "{packet}", "Packets received for the first time",
            static s => s.PacketsReceived);
        Counter(
            "quicksilver.packets.borrowed", "{packet}", "Received packets read in place",
            static s => s.PacketsBorrowed);
        CarrierCounter(
            "quicksilver.packets.duplicate", "{packet}", "Packets received again",
            static s => s.PacketsDuplicate);
        Counter(
            "quicksilver.packets.filtered", "{packet}", "Packets received with no message of the node's groups",
            static s => s.PacketsFiltered);
        Counter(
            "quicksilver.messages.filtered", "{message}", "Messages received in groups that the node is not in",
            static s => s.MessagesFiltered);
        CarrierCounter(
            "quicksilver.packets.rejected", "{packet}", "Datagrams dropped because they broke a rule",
            static s => s.PacketsRejected);
        Counter("quicksilver.packets.lost", "{packet}", "Packets found missing", static s => s.PacketsMissed);
        Recovered();
        Counter(
            "quicksilver.packets.joined", "{packet}", "Missing packets that arrived in parts",
            static s => s.PacketsJoined);
        Gauge(
            "quicksilver.datagram.size", "By", "The longest datagram for the region with the narrowest path",
            static s => s.DatagramBytes);
        Level(
            "quicksilver.paths.narrow", "{path}", "Paths to and from other nodes that drop long datagrams",
            static s => s.NarrowPaths);
        Counter(
            "quicksilver.messages.lost", "{message}", "Messages that will never be delivered to this node",
            static s => s.MessagesLost);
        Gauge(
            "quicksilver.token.round_trip", "s", "Smoothed duration of a token round",
            static s => s.TokenRoundTrip.TotalSeconds);
        Level(
            "quicksilver.members.unicast", "{member}", "Members that multicast does not reach",
            static s => s.UnicastMembers);
        Counter(
            "quicksilver.members.unicast.found", "{member}", "Times such a member was found",
            static s => s.MembersToUnicast);
        Gauge("quicksilver.rate.limit", "{packet}/s", "Rate that the slowest region allows", static s => s.RateLimit);
        Gauge("quicksilver.rate.actual", "{packet}/s", "Rate sent over the last second", static s => s.RateActual);
        Level(
            "quicksilver.buffers.pending", "By", "Bytes sent, not yet known to be held by every live member",
            static s => s.PendingBytes);
        Level(
            "quicksilver.buffers.cached", "By", "Received packets kept for others and for delivery",
            static s => s.CachedBytes);
        Level("quicksilver.buffers.inbox", "By", "Unread bytes in inboxes", static s => s.InboxBytes);
        Counter(
            "quicksilver.backpressure.episodes", "{episode}", "Times that a limit stopped sending to a group",
            static s => s.BackpressureEpisodes);
        Counter("quicksilver.loop.turns", "{turn}", "Turns of the core thread", static s => s.LoopTurns);
        Counter("quicksilver.loop.stalls", "{stall}", "Times the core thread was blocked", static s => s.Stalls);
        Gauge(
            "quicksilver.loop.utilization", "1", "Share of time in which the core thread works",
            static s => s.LoopUtilization);
        Counter(
            "quicksilver.consumer.dropped", "{message}", "Messages dropped by full inboxes",
            static s => s.MessagesDropped);
        Counter("quicksilver.consumer.slow", "{handle}", "Handles ended by full inboxes", static s => s.SlowConsumers);
        Counter(
            "quicksilver.consumer.errors", "{error}", "Exceptions of handlers and feeds", static s => s.HandlerErrors);
        Counter(
            "quicksilver.socket.drops", "{packet}", "Datagrams the kernel dropped for lack of space",
            static s => s.SocketDrops);
        Counter(
            "quicksilver.log.records.lost", "{record}", "Log records that the application's provider lost",
            static s => s.LogRecordsLost);
        AddModes();
        guard(() => Rounds = Histogram(TokenRounds, "Duration of the token rounds that the node led", RoundSeconds));
        guard(() => Phases = Histogram(LoopPhases, "Duration of the phases of busy turns: a sample", PhaseSeconds));
    }

    private void AddModes()
    {
        Lateral(
            "quicksilver.lateral.repairs.sent", "{repair}", "Repairs of lateral groups sent to other members",
            static s => s.Lateral.RepairsSent);
        Lateral(
            "quicksilver.lateral.repairs.received", "{repair}", "Repairs of lateral groups received",
            static s => s.Lateral.RepairsReceived);
        Lateral(
            "quicksilver.lateral.packets.rebuilt", "{packet}", "Missing packets that repairs gave back",
            static s => s.Lateral.PacketsRebuilt);
        Lateral(
            "quicksilver.lateral.packets.disproved", "{packet}", "Rebuilt packets with a wrong checksum",
            static s => s.Lateral.PacketsDisproved);
        Lateral(
            "quicksilver.lateral.requests", "{packet}", "Packets asked for, once for each try",
            static s => s.Lateral.PacketsAsked);
        Lateral(
            "quicksilver.lateral.deadlines", "{message}", "Messages that were not had within their deadline",
            static s => s.Lateral.DeadlinesPassed);
        Timed(
            "quicksilver.timed.requests.sent", "{request}", "Requests of timed groups sent",
            static s => s.Timed.RequestsSent);
        Timed(
            "quicksilver.timed.requests.suppressed", "{request}", "Requests that another member's made needless",
            static s => s.Timed.RequestsSuppressed);
        Timed(
            "quicksilver.timed.repairs.sent", "{packet}", "Packets of timed groups sent again",
            static s => s.Timed.RepairsSent + s.Timed.PartnerRepairsSent);
        Timed(
            "quicksilver.timed.gone", "{datagram}", "Answers that a packet is no longer held",
            static s => s.Timed.GoneSent);
        Timed(
            "quicksilver.timed.expired", "{message}", "Messages passed over, because they were not had in time",
            static s => s.Timed.MessagesExpired);
        Timed(
            "quicksilver.timed.superseded", "{message}", "What a newer message with its key made worthless",
            static s => s.Timed.Superseded);
        Timed(
            "quicksilver.timed.unsent", "{message}", "Messages that were too old before they could be sent",
            static s => s.Timed.MessagesNotSent);
        Ordered(
            "quicksilver.ordered.tokens", "{visit}", "Visits of the token of ordered groups",
            static s => s.Ordered.TokenVisits);
        Ordered(
            "quicksilver.ordered.tokens.resent", "{token}", "Tokens of ordered groups sent again",
            static s => s.Ordered.TokensResent);
        Ordered(
            "quicksilver.ordered.rings", "{ring}", "Rings of ordered groups that the node has entered",
            static s => s.Ordered.Rings);
        Ordered(
            "quicksilver.ordered.requests", "{packet}", "Missing packets of ordered groups that were asked for",
            static s => s.Ordered.PacketsAsked);
        Ordered(
            "quicksilver.ordered.repairs.sent", "{packet}", "Packets of ordered groups sent again",
            static s => s.Ordered.RepairsSent);
        Ordered(
            "quicksilver.ordered.packets.discarded", "{packet}", "Packets that a loss before them made undeliverable",
            static s => s.Ordered.PacketsDiscarded);
    }

    private static KeyValuePair<string, object?> Operation(string name) => new("messaging.operation.name", name);

    private void Counter(
        string name,
        string unit,
        string description,
        Func<NodeStatistics, long> value,
        KeyValuePair<string, object?>[]? tags = null) =>
        Add(name, unit, description, (node, now) => new Measurement<long>(value(now), node.Tags(tags ?? [])));

    private void CarrierCounter(string name, string unit, string description, Func<NodeStatistics, long> value) => Add(
        name, unit, description, (node, now) => new Measurement<long>(value(now), node.Tags([node.Carrier])));

    private void Lateral(string name, string unit, string description, Func<NodeStatistics, long> value) => Add(
        name, unit, description,
        (node, now) => now.Lateral == NoLateral ? null : new Measurement<long>(value(now), node.Tags([])));

    private void Timed(string name, string unit, string description, Func<NodeStatistics, long> value) => Add(
        name, unit, description,
        (node, now) => now.Timed == NoTimed ? null : new Measurement<long>(value(now), node.Tags([])));

    private void Ordered(string name, string unit, string description, Func<NodeStatistics, long> value) => Add(
        name, unit, description,
        (node, now) => now.Ordered == NoOrdered ? null : new Measurement<long>(value(now), node.Tags([])));

    private void Add(
        string name, string unit, string description, Func<NodeMeter, NodeStatistics, Measurement<long>?> measure) =>
        guard(() => meter.CreateObservableCounter(name, () => Observe(measure), unit, description));

    private void Level(string name, string unit, string description, Func<NodeStatistics, long> value) =>
        guard(() => meter.CreateObservableUpDownCounter(
            name, () => Observe<long>((node, now) => new Measurement<long>(value(now), node.Tags([]))),
            unit, description));

    private void Gauge(string name, string unit, string description, Func<NodeStatistics, double> value) =>
        guard(() => meter.CreateObservableGauge(
            name, () => Observe<double>((node, now) => new Measurement<double>(value(now), node.Tags([]))),
            unit, description));

    private Histogram<double> Histogram(string name, string description, double[] boundaries) =>
        meter.CreateHistogram(
            name, "s", description,
            advice: new InstrumentAdvice<double> { HistogramBucketBoundaries = boundaries });

    private void Recovered() => guard(() => meter.CreateObservableCounter(
        "quicksilver.packets.recovered",
        () =>
        {
            var all = new List<Measurement<long>>();
            foreach (NodeMeter node in nodes())
            {
                NodeStatistics now = node.Read();
                all.Add(From("peer", now.RepairsFromPeers, node));
                all.Add(From("sender", now.RepairsFromSenders, node));
            }
            return all;
        },
        "{packet}",
        "Missing packets that were repaired"));

    private static Measurement<long> From(string source, long count, NodeMeter node) =>
        new(count, node.Tags([new KeyValuePair<string, object?>(SourceTag, source)]));

    private List<Measurement<T>> Observe<T>(Func<NodeMeter, NodeStatistics, Measurement<T>?> measure)
        where T : struct
    {
        var all = new List<Measurement<T>>();
        foreach (NodeMeter node in nodes())
            if (measure(node, node.Read()) is { } measured) all.Add(measured);
        return all;
    }
}
