using System.Diagnostics.Metrics;

namespace QuickSilver.Diagnostics;

/// <summary>
/// A node's instruments on the meter "QuickSilver". All but two are observable and read the latest statistics, so
/// listeners run on their own thread. The two histograms are recorded on a pool thread (<see cref="DurationSamples"/>).
/// The core never calls a listener. Groups are not tags: there may be thousands, and backends merge
/// tags beyond their limit; see <see cref="QuickSilverNode.GetTopGroupsAsync"/>.
/// <para>
/// Publishing and removing an instrument runs code of the application on this thread: its meter factory and its
/// listeners. Their exceptions are logged, and cost the node only the instrument.
/// </para>
/// </summary>
internal sealed class NodeMeter : IDisposable, IDurationRecorder
{
    private const string MeterName = "QuickSilver";
    private const string SystemTag = "messaging.system";
    private const string SourceTag = "source";
    private const string PhaseTag = "phase";
    private const string TokenRounds = "quicksilver.token.round.duration";
    private const string LoopPhases = "quicksilver.loop.phase.duration";

    private static readonly double[] RoundSeconds =
        [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];

    private static readonly double[] PhaseSeconds =
        [0.000001, 0.0000025, 0.000005, 0.00001, 0.000025, 0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.005, 0.01, 0.1];

    private static readonly KeyValuePair<string, object?>[] Phases =
        [new(PhaseTag, "requests"), new(PhaseTag, "io"), new(PhaseTag, "alarms"), new(PhaseTag, "pull")];

    private static readonly KeyValuePair<string, object?> MessagingSystem = new(SystemTag, "quicksilver");
    private readonly Func<NodeStatistics> _read;
    private readonly NodeLog _log;
    private readonly Meter _meter;
    private Histogram<double>? _rounds;
    private Histogram<double>? _phases;

    /// <summary>Creates the instruments.</summary>
    /// <param name="factory">Creates the meter; null: the node creates its own.</param>
    /// <param name="nodeName">Tag of the meter, to distinguish the nodes of a process.</param>
    /// <param name="transport">Tag of the packets.</param>
    /// <param name="read">Returns the latest statistics.</param>
    /// <param name="log">Logs exceptions of the application's code.</param>
    public NodeMeter(IMeterFactory? factory, string nodeName, string transport, Func<NodeStatistics> read, NodeLog log)
    {
        _read = read;
        _log = log;
        var options = new MeterOptions(MeterName) { Tags = [new("quicksilver.node", nodeName)] };
        _meter = Make(factory, options);
        KeyValuePair<string, object?> carrier = new("transport", transport);

        Counter(
            "messaging.client.sent.messages", "{message}", "Messages sent",
            static s => s.MessagesSent, MessagingSystem, Operation("send"));
        Counter(
            "messaging.client.consumed.messages", "{message}", "Taken by readers and handlers",
            static s => s.MessagesRead, MessagingSystem, Operation("receive"));
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
        Counter(
            "quicksilver.packets.sent", "{packet}", "Packets sent for the first time",
            static s => s.PacketsSent, carrier);
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
        Counter(
            "quicksilver.packets.received", "{packet}", "Packets received for the first time",
            static s => s.PacketsReceived, carrier);
        Counter(
            "quicksilver.packets.borrowed", "{packet}", "Received packets read in place",
            static s => s.PacketsBorrowed);
        Counter(
            "quicksilver.packets.duplicate", "{packet}", "Packets received again",
            static s => s.PacketsDuplicate, carrier);
        Counter(
            "quicksilver.packets.filtered", "{packet}", "Packets received with no message of the node's groups",
            static s => s.PacketsFiltered);
        Counter(
            "quicksilver.messages.filtered", "{message}", "Messages received in groups that the node is not in",
            static s => s.MessagesFiltered);
        Counter(
            "quicksilver.packets.rejected", "{packet}", "Datagrams dropped because they broke a rule",
            static s => s.PacketsRejected, carrier);
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
        AddModes();
        Guard(() => _rounds = Histogram(TokenRounds, "Duration of the token rounds that the node led", RoundSeconds));
        Guard(() => _phases = Histogram(LoopPhases, "Duration of the phases of busy turns: a sample", PhaseSeconds));
    }

    /// <inheritdoc/>
    public bool IsWanted => _rounds is { Enabled: true } || _phases is { Enabled: true };

    /// <inheritdoc/>
    public void Record(int kind, TimeSpan took)
    {
        try
        {
            if (kind == DurationSamples.TokenRound) _rounds?.Record(took.TotalSeconds);
            else _phases?.Record(took.TotalSeconds, Phases[kind]);
        }
        catch (Exception fault)
        {
            _log.Post(fault, static (logger, thrown) => Log.MeteringFailed(logger, thrown));
        }
    }

    /// <summary>Removes the instruments.</summary>
    public void Dispose() => Guard(() => _meter.Dispose());

    private void AddModes()
    {
        Counter(
            "quicksilver.lateral.repairs.sent", "{repair}", "Repairs of lateral groups sent to other members",
            static s => s.Lateral.RepairsSent);
        Counter(
            "quicksilver.lateral.repairs.received", "{repair}", "Repairs of lateral groups received",
            static s => s.Lateral.RepairsReceived);
        Counter(
            "quicksilver.lateral.packets.rebuilt", "{packet}", "Missing packets that repairs gave back",
            static s => s.Lateral.PacketsRebuilt);
        Counter(
            "quicksilver.lateral.packets.disproved", "{packet}", "Rebuilt packets with a wrong checksum",
            static s => s.Lateral.PacketsDisproved);
        Counter(
            "quicksilver.lateral.requests", "{packet}", "Packets asked for, once for each try",
            static s => s.Lateral.PacketsAsked);
        Counter(
            "quicksilver.lateral.deadlines", "{message}", "Messages that were not had within their deadline",
            static s => s.Lateral.DeadlinesPassed);
        Counter(
            "quicksilver.timed.requests.sent", "{request}", "Requests of timed groups sent",
            static s => s.Timed.RequestsSent);
        Counter(
            "quicksilver.timed.requests.suppressed", "{request}", "Requests that another member's made needless",
            static s => s.Timed.RequestsSuppressed);
        Counter(
            "quicksilver.timed.repairs.sent", "{packet}", "Packets of timed groups sent again",
            static s => s.Timed.RepairsSent + s.Timed.PartnerRepairsSent);
        Counter(
            "quicksilver.timed.gone", "{datagram}", "Answers that a packet is no longer held",
            static s => s.Timed.GoneSent);
        Counter(
            "quicksilver.timed.expired", "{message}", "Messages passed over, because they were not had in time",
            static s => s.Timed.MessagesExpired);
        Counter(
            "quicksilver.timed.superseded", "{message}", "What a newer message with its key made worthless",
            static s => s.Timed.Superseded);
        Counter(
            "quicksilver.timed.unsent", "{message}", "Messages that were too old before they could be sent",
            static s => s.Timed.MessagesNotSent);
    }

    private static KeyValuePair<string, object?> Operation(string name) => new("messaging.operation.name", name);

    private void Counter(
        string name,
        string unit,
        string description,
        Func<NodeStatistics, long> value,
        params KeyValuePair<string, object?>[] tags) =>
        Guard(() => _meter.CreateObservableCounter(
            name, () => new Measurement<long>(value(_read()), tags), unit, description));

    private void Level(string name, string unit, string description, Func<NodeStatistics, long> value) =>
        Guard(() => _meter.CreateObservableUpDownCounter(name, () => value(_read()), unit, description));

    private void Gauge(string name, string unit, string description, Func<NodeStatistics, double> value) =>
        Guard(() => _meter.CreateObservableGauge(name, () => value(_read()), unit, description));

    private Histogram<double> Histogram(string name, string description, double[] boundaries) =>
        _meter.CreateHistogram(
            name, "s", description,
            advice: new InstrumentAdvice<double> { HistogramBucketBoundaries = boundaries });

    private void Recovered() => Guard(() => _meter.CreateObservableCounter(
        "quicksilver.packets.recovered",
        () =>
        {
            NodeStatistics now = _read();
            return new Measurement<long>[]
            {
                new(now.RepairsFromPeers, new KeyValuePair<string, object?>(SourceTag, "peer")),
                new(now.RepairsFromSenders, new KeyValuePair<string, object?>(SourceTag, "sender")),
                new(now.LateralRepair.PacketsRebuilt, new KeyValuePair<string, object?>(SourceTag, "lateral")),
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
