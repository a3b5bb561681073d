namespace QuickSilver.Protocol.Core;

/// <summary>
/// Ways to break the protocol on purpose, one defect each: tests plant them, one at a time, to prove that the simulator's invariants would find such
/// a defect. Nothing sets them but tests; each is asked for through <see cref="Probes.Breaks"/> where the defect would be made.
/// </summary>
internal enum Sabotage : byte
{
    /// <summary>The protocol as it is meant.</summary>
    None,

    /// <summary>A packet counts as received although it was not stored: now and then a receiver drops one after it has marked it.</summary>
    AckBeforeStore,

    /// <summary>Merging two intervals of received packets takes one missing number in as well.</summary>
    IntervalMerge,

    /// <summary>A node takes its members for those of the neighbouring partition.</summary>
    PartitionMap,

    /// <summary>A sender leaves a message number out, now and then.</summary>
    NumberSkipped,

    /// <summary>A receiver delivers a message again, now and then, when a second copy of its packet comes.</summary>
    DuplicateDelivered,

    /// <summary>Packets are cleaned up before every live member holds them.</summary>
    EarlyCleanup,

    /// <summary>Memory that packets were lent from is written again while others still read it.</summary>
    LentMemoryReused,

    /// <summary>Packets are cached beyond the cap.</summary>
    CacheCapIgnored,

    /// <summary>A member lets packets of its own partition go as soon as its partition holds them, though others may still need them.</summary>
    OwnPartitionDropped,

    /// <summary>A stream that members visited earlier in a round had not heard of counts as held by them.</summary>
    UnheardCountsAsHeld,

    /// <summary>A round that skipped a member raises stability.</summary>
    SkippedCountsAsVisited,

    /// <summary>A token of a round that is over is taken for a new one.</summary>
    TokenRoundUnchecked,

    /// <summary>Datagrams of two hops of a token are joined.</summary>
    TokenHopsMixed,

    /// <summary>Who takes the lead, or begins a round anew, stays in the epoch of the token that may still be under way.</summary>
    TakeoverKeepsEpoch,

    /// <summary>A sender is asked for the packet after the one that is missing, which is another partition's.</summary>
    NakToWrongPartition,

    /// <summary>The last packet of a range that was asked for is not sent again.</summary>
    NakCutShort,

    /// <summary>A sender's beacons stop at the first acknowledgement, whatever it says.</summary>
    BeaconsStopAtAck,

    /// <summary>A sender says that its stream ended one packet earlier than it did.</summary>
    FinalTooLow,

    /// <summary>Messages that become stable leave the account of what is pending twice.</summary>
    PendingReleasedTwice,

    /// <summary>A group whose gate was shut is not told that there is room again.</summary>
    GateStaysShut,

    /// <summary>A member that is carried by unicast stays so, though it hears multicast again.</summary>
    CarrierNeverGoesBack,

    /// <summary>Who repairs sends a packet to who asks for it as often as it is asked, however often that was in vain.</summary>
    RepairNeverBacksOff,

    /// <summary>A message is not sent to the last of its group's regions.</summary>
    RegionLeftOut,

    /// <summary>A sender does not deliver its own message when its own region has no other member.</summary>
    OwnMessageForgotten,

    /// <summary>A sender delivers its own message when it is packed, whatever comes before it.</summary>
    SelfDeliveryAhead,

    /// <summary>The first message in a stream does not tell the step of the message before it.</summary>
    PreviousStepLost,

    /// <summary>A receiver without a place begins with whatever message comes first.</summary>
    PlaceStartsAnywhere,

    /// <summary>A receiver's place is kept when it leaves, and goes on when it joins again.</summary>
    PlaceKeptAcrossLeave,

    /// <summary>Messages that were sent before a receiver's stay began are taken.</summary>
    StayIgnored,

    /// <summary>Packets of a step that is not installed are handled at once.</summary>
    StepNotAwaited,

    /// <summary>Packets that waited for a step are forgotten when it is installed.</summary>
    HeldPacketsDropped,

    /// <summary>What a receiver holds when it leaves is not given back.</summary>
    HeldKeptAtLeave,

    /// <summary>A fragment is taken to stand one byte before its place.</summary>
    FragmentShifted,

    /// <summary>A node acknowledges a step without installing it, now and then.</summary>
    StepSkipped,

    /// <summary>A leave and a join of one node and group share a step.</summary>
    LeaveAndJoinInOneStep,

    /// <summary>A join returns before all senders have switched.</summary>
    JoinSettledEarly,

    /// <summary>A view retires when the first of its senders is done with it.</summary>
    ViewRetiredAtFirstDone,

    /// <summary>A node whose connection breaks is removed at once.</summary>
    GraceIgnored,

    /// <summary>A node is removed after a quarter of the detector's period.</summary>
    DetectorHasty,

    /// <summary>A server that took over gives numbers again that its predecessor gave.</summary>
    NodeNumberReused,

    /// <summary>A server that takes over forgets who was removed.</summary>
    RemovedListLost,

    /// <summary>A receiver goes on past a gap as soon as one of a removed sender's streams is closed, though others are open.</summary>
    GapPassedTooEarly,

    /// <summary>Packets of a removed sender are taken, even when its stream is closed.</summary>
    LatePacketTaken,

    /// <summary>A packet is abandoned in the very round in which somebody first missed it, though those visited before were not asked.</summary>
    NewRangeAbandoned,

    /// <summary>A removed sender's stream counts as closed for whoever had never heard of it.</summary>
    UnheardStreamClosed,

    /// <summary>A view retires without waiting for the streams of removed senders.</summary>
    ViewRetiredBeforeClosed,

    /// <summary>What comes from another address than its sender's is taken all the same.</summary>
    SourceUnchecked,

    /// <summary>A group is forgotten when the last node leaves it, though views name it, and its number is given to the next.</summary>
    GroupForgottenTooEarly,

    /// <summary>A node that leaves a group forgets the numbers of what it sent there, though others are in it.</summary>
    NumbersForgottenAtLeave,

    /// <summary>A restarted process counts for itself and for the one it follows.</summary>
    RestartCountedTwice,

    /// <summary>Those who registered and died since count as back.</summary>
    MajorityCountsDead,

    /// <summary>A server that loses sight of most members removes them.</summary>
    SightLossIgnored,
    /// <summary>A member that finds a way narrow tells nobody.</summary>
    PathNeverNarrows,

    /// <summary>A part of a packet is put one byte before its place.</summary>
    PartsMisplaced,
}
