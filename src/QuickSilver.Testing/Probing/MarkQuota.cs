using QuickSilver.Protocol.Core;

namespace QuickSilver.Testing.Probing;

/// <summary>
/// Which marks an ensemble must have hit. A mark without a hit means that no run has been where the mark stands, so
/// that nothing is known about it:
/// an ensemble of some size fails by it, unless the mark is excused here, with the reason and the place where it is
/// reached instead.
/// </summary>
internal static class MarkQuota
{
    /// <summary>Runs of the generator's ensemble after which every mark but the excused must have been hit.</summary>
    public const int EnoughRuns = 350;

    /// <summary>Marks that an ensemble need not hit, and why.</summary>
    public static IReadOnlyDictionary<Mark, string> Excused { get; } = new Dictionary<Mark, string>
    {
        [Mark.DuplicateMessage] =
            "a message comes to a receiver in one stream only, whose window stops second copies: reached by tests of "
                + "delivery alone",
        [Mark.DeliveryNested] =
            "simulated applications do not send from their handlers: reached by tests of delivery alone",
        [Mark.LateJudgeWaited] =
            "the simulated server never stands still: reached by tests of the membership server alone",
        [Mark.NewLeaderToldItself] =
            "a leader must fall between two datagrams of one round's end: reached on seeds of RegressionTests",
        [Mark.MajorityAwaited] = "one run in eighty, so that 400 may have none: reached by runs of restarts",
        [Mark.SurvivorContradicted] =
            "all who were told of a removal but some must die with the server: reached by tests of the takeover alone",
        [Mark.SurvivorLeftBehind] = "a step must be activated without a survivor just before its server dies: reached "
            + "by tests of the takeover alone",
        [Mark.ChangeWaitsForNextStep] =
            "the generator leaves and joins one group one after the other: reached by the targeted run "
                + "LeaveAndJoinAtOnce",
        [Mark.JoinWaitsForLeave] =
            "a step must be activated without the very node that leaves in it and has asked to return: not reached yet",
        [Mark.PacketFoundNoRoom] =
            "few runs have a cache so small that it fills: reached by the targeted run StuckMember",
        [Mark.PacketStoredBeyondCap] = "as the one before: reached by the targeted run StuckMember",
        [Mark.PacketHeldForStep] =
            "few channels stand still for longer than a step is waited for: reached by the targeted run LateStep",
        [Mark.HeldPacketReplayed] = "as the one before: reached by the targeted run LateStep",
        [Mark.LossOfUnknownCount] =
            "a sender must go with the last copy of its last message: reached by AbandonmentTests",
        [Mark.OwnMessageWaited] = "a backlog must outlive its view: reached by short runs with moves",
        [Mark.UnrecognisedFull] =
            "thirty thousand packets must come before their view: reached by tests of the buffer alone",
        [Mark.UnrecognisedReplayed] =
            "one run in a hundred and thirty, so that 400 may have none: reached by tests of the buffer alone",
        [Mark.RunEndedByLength] =
            "one run in sixty, so that 400 may have none: reached by tests of sources that write into packets alone",
        [Mark.LonePacketIsLong] = "one run in a hundred, so that 400 may have none: reached by tests of lending alone",
        [Mark.SegmentNotOpened] =
            "a sender must end between its offer and its being read, or have more readers than places: reached by "
                + "tests of segments alone",
        [Mark.LeapNotBelieved] =
            "a member must miss more than a receive buffer's packets in a row: reached by LyingMemberTests",
        [Mark.LeapConfirmed] = "as the one before: reached by LyingMemberTests",
        [Mark.ReadResynchronised] =
            "a damaged datagram must lie between others in one read: reached by BadDatagramTests",
        [Mark.CopiesInVain] =
            "copies must be lost as well as the multicast: one run in some hundred, reached by MemberCarriersTests",
        [Mark.SuspectHearsProbes] =
            "a member must miss nearly all but the probes: one run in some hundred, reached by MemberCarriersTests",
        [Mark.PathTriedAgain] = "a way must stay narrow for a minute of a run: reached by NarrowPathTests",
        [Mark.PathWidened] = "as the one before",
        [Mark.JoinGaveWay] =
            "64 packets must come in parts at once, each with a part lost: reached by tests of joining alone",
        [Mark.SuspectHearsProbes] =
            "a member must miss nearly all packets for a second and hear what is short: reached by tests of carriers "
                + "alone",
        [Mark.CopiesInVain] =
            "a way must be cut one way for some seconds while its member is reached by others: reached by CarrierTests",
        [Mark.RepeatRefused] =
            "who asks in vain asks for little, so that a budget is seldom used up: reached by StreamRepairsTests",
        [Mark.RetryCutToRoom] = "one run in sixty, so that 400 may have none: reached by RepairStormTests",
        [Mark.KernelDropsTold] =
            "few runs have receive buffers that overflow: reached by short runs with small buffers",
    };

    /// <summary>Marks without a hit that nothing excuses.</summary>
    public static IEnumerable<Mark> FindMissing(MarkTable marks) =>
        marks.Unhit.Where(mark => !Excused.ContainsKey(mark));
}
