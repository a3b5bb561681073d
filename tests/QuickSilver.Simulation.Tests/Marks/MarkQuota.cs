using QuickSilver.Protocol.Probing;
using QuickSilver.Testing.Probing;

namespace QuickSilver.Simulation.Tests.Marks;

/// <summary>
/// Which marks an ensemble must have reached. A mark that no run has reached means that no run has been where the mark
/// stands, so that nothing is known about it:
/// an ensemble of some size fails by it, unless the mark is excused here, with the reason and the place where it is
/// reached instead.
/// </summary>
internal static class MarkQuota
{
    /// <summary>Runs of the generator's ensemble after which every mark but the excused must have been
    /// reached.</summary>
    public const int EnoughRuns = 350;

    /// <summary>All marks there are, sorted: states named in the protocol's code, and counters.</summary>
    public static IReadOnlyList<string> All { get; } =
        [.. MarkReader.ReadFrom(typeof(Probes).Assembly).Concat(CounterMarks.Names).Order(StringComparer.Ordinal)];

    /// <summary>Marks that an ensemble need not reach, and why.</summary>
    public static IReadOnlyDictionary<string, string> Excused { get; } = new Dictionary<string, string>
    {
        ["DeliveryCounters.Duplicates"] =
            "a message comes to a receiver in one stream only, whose window stops second copies: reached by "
                + "tests of delivery alone",
        ["a message is deliverable while another of its sender is delivered"] =
            "simulated applications do not send from their handlers: reached by tests of delivery alone",
        ["a founding waits for what is not read yet"] =
            "a server must stand still just when it founds: reached by tests of the membership server alone",
        ["a server removes a member that is too slow"] =
            "a run of the generator is short for it, and sends little: reached by the targeted run SlowMember",
        ["a new leader is the sender of a stream found stable before"] =
            "a leader must fall between two datagrams of one round's end: reached on seeds of RegressionTests",
        ["a server that takes over waits for a majority"] =
            "one run in eighty, so that 400 may have none: reached by runs of restarts",
        ["a server ends with its lease"] = "servers of the generator have no leases: reached by ElectionTests",
        ["a frame is held back since the lease has ended"] = "as the one before: reached by ElectionTests",
        ["a process votes in the seat of its life before"] = "its hosts do not vote: reached by PeerTests",
        ["a region at its limit of views waits with a newer version"] =
            "the older node must go while old views of the region last: reached by tests of the membership server "
                + "alone",
        ["survivors contradict each other in who is removed"] =
            "all who were told of a removal but some must die with the server: reached by tests of the takeover "
                + "alone",
        ["a survivor missed a step in which others sent"] =
            "a step must be activated without a survivor just before its server dies: reached by tests of the "
                + "takeover alone",
        ["a step waits since most members have not installed it or are out of sight"] =
            "one run in a hundred has so few in sight: reached by tests of the membership server",
        ["a view opens with a member that is known to be removed"] =
            "a token must tell of a removal before a step that was made before it: reached by the saved run "
                + "view-of-a-removed-member",
        ["two changes of one node and group cannot share a step"] =
            "the generator leaves and joins one group one after the other: reached by the targeted run "
                + "LeaveAndJoinAtOnce",
        ["a join waits for its node to install its leave"] =
            "a step must be activated without the very node that leaves in it and has asked to return: not "
                + "reached yet",
        ["a packet is not stored, since a cap is reached"] =
            "few runs have a cache so small that it fills: reached by the targeted run StuckMember",
        ["a packet is stored beyond the cap, so that the stream goes on"] =
            "as the one before: reached by the targeted run StuckMember",
        ["a packet comes of a step that is not installed"] =
            "few channels stand still for longer than a step is waited for: reached by the targeted run "
                + "LateStep",
        ["a held packet is handled, since its step is installed"] =
            "as the one before: reached by the targeted run LateStep",
        ["a loss of unknown extent is reported"] =
            "a sender must go with the last copy of its last message: reached by AbandonmentTests",
        ["a message is ready for its own node before an earlier one"] =
            "a backlog must outlive its view: reached by short runs with moves",
        ["a packet of a view that is not installed finds no room"] =
            "thirty thousand packets must come before their view: reached by tests of the buffer alone",
        ["DeliveryCounters.UnrecognisedReplayed"] =
            "one run in a hundred and thirty, so that 400 may have none: reached by tests of the buffer alone",
        ["a batch ends by a message of another length"] =
            "one run in sixty, so that 400 may have none: reached by tests of sources that write into packets "
                + "alone",
        ["a group that wrote into packets takes turns at the buffer again"] =
            "one run in two hundred: a source must write into packets when a second lane begins to send: reached by "
                + "tests of sources that write into packets alone",
        ["a region at its limit of views waits with its new keys"] =
            "one run in two hundred: four views must not retire while keys grow old: reached by the targeted run "
                + "StuckViewsWithOldKeys",
        ["a packet comes from a removed sender whose stream is closed"] =
            "one run in a hundred, so that 400 may have none: reached by the targeted run LatePackets",
        ["TimedCounters.PacketsFiltered"] =
            "one run in a hundred: members of a region must differ in their timed groups: reached by the targeted run "
                + "TimedMerged",
        ["TimedCounters.BeforeJoin"] =
            "one run in a hundred: reached by the targeted run TimedMembersCome",
        ["a packet that should be short and alone is long"] =
            "one run in a hundred, so that 400 may have none: reached by tests of lending alone",
        ["a member cannot open the memory that a sender offers"] =
            "a sender must end between its offer and its being read, or have more readers than places: reached "
                + "by tests of segments alone",
        ["one word of a packet far beyond all known is not believed"] =
            "a member must miss more than a receive buffer's packets in a row: reached by LyingMemberTests",
        ["a second word of a packet far beyond all known confirms it"] =
            "as the one before: reached by LyingMemberTests",
        ["a bad header in a read is passed over"] =
            "a damaged datagram must lie between others in one read: reached by BadDatagramTests",
        ["copies by unicast do not reach a member either"] =
            "a way must be cut one way for some seconds while its member is reached by others: reached by "
                + "CarrierTests",
        ["a member that misses nearly all hears the sender's probes"] =
            "a member must miss nearly all packets for a second and hear what is short: reached by tests of "
                + "carriers alone",
        ["a narrow way is measured again after a while"] =
            "a way must stay narrow for a minute of a run: reached by NarrowPathTests",
        ["a member says that this node's datagrams may be of any length again"] =
            "as the one before",
        ["a packet in parts gives way to another, since too many are in parts"] =
            "64 packets must come in parts at once, each with a part lost: reached by tests of joining alone",
        ["RecoveryCounters.RepeatsRefused"] =
            "who asks in vain asks for little, so that a budget is seldom used up: reached by "
                + "StreamRepairsTests",
        ["DisseminationCounters.RepeatsRefused"] = "as the one before",
        ["DisseminationCounters.FeedbackCutShort"] =
            "somebody must acknowledge or ask for packets that were never sent: reached by StreamSenderTests",
        ["a member asks only for the lowest of what it asked for in vain"] =
            "one run in sixty, so that 400 may have none: reached by RepairStormTests",
        ["a region drops out of a group's hybrid packets"] =
            "a member must lose multicast while messages of a hybrid group wait for room: reached by HybridSenderTests",
        ["a hybrid packet waits for room in a region"] =
            "one run in thirty, so that 400 may have few: reached by the targeted run HybridGroup",
        ["a token tells of datagrams that a kernel dropped"] =
            "few runs have receive buffers that overflow: reached by short runs with small buffers",
        ["a lateral packet comes of a step that is not installed"] =
            "one run in some hundreds: reached by the targeted run LateralLateStep",
        ["TimedCounters.MessagesNotSent"] =
            "simulated messages are young when they are taken, and seldom beyond the limit: not reached yet",
        ["TimedCounters.NaksOverBudget"] =
            "two thousand requests must reach a node in a second: reached by TimedEngineTests",
        ["TimedCounters.PushedOut"] =
            "a plan must send more than the contract says, for a whole time to live: reached by TimedPartTests",
        ["TimedCounters.TooLateToAsk"] =
            "the round trip must be longer than the time to live: reached by RepairTests",
        ["TimedCounters.CameTooLate"] =
            "one run in some dozens: reached by tests of timed groups alone",
        ["a packet of a timed group ends before it is sent"] =
            "the bucket must keep a packet for its whole life: not reached yet",
        ["the packet before a timed stay shows where the stay begins"] =
            "one run in a hundred or more: the step after a join must come before its first packet arrives",
        ["a timed stay begins before the first packet that came"] = "as the one before",
        ["a timed receiver is left behind by more than its window"] =
            "one run in sixty, so that 400 may have few: a member must be cut off for long",
        ["repairs of a timed group wait for their bucket"] =
            "one run in sixty, so that 400 may have few: reached by RepairTests",
        ["a timed group's messages wait with their source for the bucket"] =
            "one run in twenty-five, so that 400 may have few: reached by RepairTests",
        ["a message of a timed group is given up with some of its packets here"] =
            "few plans have long messages and heavy loss: reached by the targeted run TimedMembersCome",
        ["a missing packet is given up for the messages that wait behind it"] =
            "as the one before: reached by TimedEngineTests",
    };

    /// <summary>Marks that no run has reached and nothing excuses.</summary>
    public static IEnumerable<string> FindMissing(MarkTable marks) =>
        All.Where(mark => marks[mark] == 0 && !Excused.ContainsKey(mark));
}
