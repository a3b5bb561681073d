namespace QuickSilver.Protocol.Core;

/// <summary>
/// States worth reaching: each is counted where the protocol reaches it, by <see cref="Probes.Hit"/>. An ensemble of
/// simulated runs that never hits a mark has not tested what the mark stands for.
/// <para>
/// In the order of the rooms that reach them; the numbers are nowhere saved. A new mark goes under its room; from then
/// on MarkQuota in QuickSilver.Testing demands it of every large ensemble, unless it is excused there, with the reason
/// and the place where it is reached instead.
/// </para>
/// </summary>
internal enum Mark : byte
{
    // Membership: the server.

    /// <summary>A node registered on the address of one that the server still takes for alive.</summary>
    NodeReplacedByRestart,

    /// <summary>A node was removed because nothing had come from it.</summary>
    RemovedForSilence,

    /// <summary>A node was removed because it did not connect again.</summary>
    RemovedForBrokenConnection,

    /// <summary>A server that had stood still gave all nodes their time again.</summary>
    LateJudgeWaited,

    /// <summary>A server took a node of another server over.</summary>
    NodeTakenOver,

    /// <summary>Survivors contradicted each other in who is removed.</summary>
    SurvivorContradicted,

    /// <summary>A server that took over waited for half of the members.</summary>
    MajorityAwaited,

    /// <summary>A process came back under the name or address of a member that was missing at a takeover.</summary>
    SurvivorSucceeded,

    /// <summary>A server lost sight of more than half of its members at once.</summary>
    SightLost,

    /// <summary>A node that survivors named did not register with the new server.</summary>
    SurvivorMissing,

    /// <summary>A survivor had missed a step in which others sent.</summary>
    SurvivorLeftBehind,

    /// <summary>Two changes of one node and group could not share a step.</summary>
    ChangeWaitsForNextStep,

    /// <summary>A join waited for the node to install its leave.</summary>
    JoinWaitsForLeave,

    /// <summary>A change waited because a region has four unretired views.</summary>
    FourViewsUnretired,

    /// <summary>A node joined some groups and left others in one step.</summary>
    NodeJoinsAndLeavesAtOnce,

    /// <summary>Nodes came to a region and went from it in one step.</summary>
    JoinAndLeaveInOneBatch,

    /// <summary>Several nodes changed their groups in one step.</summary>
    ChangesBatched,

    /// <summary>A change came while a step was being installed.</summary>
    ChangeGatheredDuringStep,

    /// <summary>Some nodes left a region, others stayed.</summary>
    RegionSplit,

    /// <summary>Nodes came to a region that had some.</summary>
    RegionMerged,

    /// <summary>A region lost its last node.</summary>
    RegionAbandoned,

    /// <summary>A step took removed nodes out.</summary>
    RemovalInStep,

    /// <summary>A step took removed nodes out and let others in.</summary>
    RemovalAndJoinInOneStep,

    /// <summary>A step was activated without some that had not installed it.</summary>
    StepActivatedWithoutAll,

    /// <summary>A node said that it is done with a view that it was permitted in again.</summary>
    DoneReportVoid,

    /// <summary>An old view of a region retired.</summary>
    ViewRetired,

    /// <summary>The last view of a region without nodes retired.</summary>
    LastViewOfRegionRetired,

    /// <summary>A multicast address was used again.</summary>
    AddressUsedAgain,

    /// <summary>Two views had to share a multicast address.</summary>
    AddressShared,

    /// <summary>A view retired that had waited for a removed sender's stream.</summary>
    ViewRetiredAfterClosing,

    // Membership: a node's agent.

    /// <summary>A node got a step that does not concern it.</summary>
    StepDidNotConcern,

    /// <summary>A node came to know a view again that it had lost sight of.</summary>
    ViewKnownAgain,

    /// <summary>The first step of a new server replaced the views of the one before.</summary>
    InheritedViewsReplaced,

    /// <summary>A node was told of another's removal.</summary>
    NodeRemovalTold,

    /// <summary>A node was told that it is removed, or refused.</summary>
    NodeExpelled,

    /// <summary>A node came back to its server after its connection broke.</summary>
    SessionResumed,

    /// <summary>A node was taken over by another server.</summary>
    ServerTookOver,

    // Dissemination.

    /// <summary>The sender was asked for a packet that it knows stable.</summary>
    NakOfStablePacket,

    /// <summary>The sender was asked for what it had sent to the asker, or to all, a moment ago.</summary>
    NakAnsweredAlready,

    /// <summary>A sender began to send a member copies by unicast.</summary>
    MemberCarriedByUnicast,

    /// <summary>A stream began with what streams before it knew of how members are reached.</summary>
    CarrierInherited,

    /// <summary>A sender asked by multicast who hears it.</summary>
    CarrierProbed,

    /// <summary>A member with copies was found to hear multicast again.</summary>
    CarrierBackToMulticast,

    /// <summary>A member that misses nearly all hears the sender's probes.</summary>
    SuspectHearsProbes,

    /// <summary>Copies by unicast did not reach a member either.</summary>
    CopiesInVain,

    /// <summary>The third member that lacks a packet made its repair a multicast.</summary>
    ThirdAskerMadeItMulticast,

    /// <summary>A sender that fell silent said how far it had come.</summary>
    BeaconSent,

    /// <summary>A sender said that its stream has ended.</summary>
    FinalSent,

    /// <summary>Beacons changed nothing, and one went to a member by unicast.</summary>
    BeaconByUnicast,

    /// <summary>A repair for all was asked for again and again, and went to a member by unicast too.</summary>
    RepairByUnicastToo,

    /// <summary>A view was superseded before all that is bound to it was sent.</summary>
    StreamEndedWithBacklog,

    /// <summary>A view was superseded before all that was sent there is stable.</summary>
    StreamEndedUnstable,

    /// <summary>A view was superseded when all was stable.</summary>
    StreamEndedStable,

    /// <summary>A sender was permitted again in a view that it had ended its stream in.</summary>
    StreamReopened,

    /// <summary>All other members of a view were removed while messages to it were pending.</summary>
    NobodyLeftToReceive,

    /// <summary>The window kept a sender back.</summary>
    WindowBlocked,

    /// <summary>A window grew.</summary>
    WindowGrown,

    /// <summary>A window was cut.</summary>
    WindowCut,

    /// <summary>The rate kept a sender back.</summary>
    RateBlocked,

    /// <summary>A limit of pending was reached.</summary>
    GateShut,

    /// <summary>Pending fell to half of its limit.</summary>
    GateOpened,

    /// <summary>A group waited at a full region buffer.</summary>
    GroupWaitedForRoom,

    /// <summary>A source wrote a message into a packet.</summary>
    MessageWrittenInPlace,

    /// <summary>Sources wrote a run of messages into a packet.</summary>
    RunWrittenInPlace,

    /// <summary>A source's message that was to go on a run had another length.</summary>
    RunEndedByLength,

    /// <summary>Messages of one group and length, that had waited to be packed, became a run.</summary>
    RunPacked,

    /// <summary>A group whose sources wrote into packets had to take turns at the buffer again.</summary>
    DirectGroupSentBack,

    /// <summary>All members of a view read this node's segment: packets are lent.</summary>
    StreamLends,

    /// <summary>Not all members of a view read this node's segment: packets are sent.</summary>
    StreamDoesNotLend,

    /// <summary>No block of the segment was free.</summary>
    NothingLeftToLend,

    /// <summary>A packet that was expected to be short and alone was put behind the one before it.</summary>
    LonePacketFollows,

    /// <summary>A packet that was expected to be short and alone was not.</summary>
    LonePacketIsLong,

    /// <summary>A group's sources had messages when the step changed.</summary>
    SourcesMovedToNewStep,

    /// <summary>A message waited for a step that is installed and not yet active.</summary>
    BindingWaitsForStep,

    /// <summary>A message was bound to several regions.</summary>
    MessageToSeveralRegions,

    /// <summary>A message was bound that nobody else is there for.</summary>
    MessageToNobodyElse,

    /// <summary>A message was ready for its own node before an earlier one.</summary>
    OwnMessageWaited,

    // Recovery: packets, gaps, and who asks for what.

    /// <summary>A member asked only for the lowest of what it had asked for in vain.</summary>
    RetryCutToRoom,

    /// <summary>A packet was not sent once more to a member that had been sent too much of what it asked for in
    /// vain.</summary>
    RepeatRefused,

    /// <summary>A member told a sender that its multicast does not arrive.</summary>
    SenderUnheard,

    /// <summary>A packet that was missed came as a repair from a peer.</summary>
    RepairFromPeer,

    /// <summary>A packet that was missed came as a repair from its sender.</summary>
    RepairFromSender,

    /// <summary>A packet came that was received already.</summary>
    DuplicatePacket,

    /// <summary>A member pushed a packet that its neighbour in the token's walk misses.</summary>
    RepairByPush,

    /// <summary>A member gave a packet that somebody asked it for.</summary>
    RepairByPull,

    /// <summary>A packet was owed to a member that had been sent it a moment ago.</summary>
    RepairAskedTwice,

    /// <summary>A member asked one of its own partition.</summary>
    PullInPartition,

    /// <summary>A member asked one of another partition.</summary>
    PullAcrossPartitions,

    /// <summary>More was missing than may be outstanding at once.</summary>
    PullCutToBudget,

    /// <summary>A member was asked for what it lacks itself, and remembered it.</summary>
    PullPromised,

    /// <summary>What a member had promised arrived, and was passed on.</summary>
    PromiseKept,

    /// <summary>The member of a packet's partition whose turn it is asked the sender.</summary>
    NakByMember,

    /// <summary>A member of another partition asked the sender, after its peers were silent.</summary>
    NakByOutsider,

    /// <summary>The sender was asked because nobody is left in the packet's partition.</summary>
    NakForEmptyPartition,

    /// <summary>The sender was asked for what a whole partition misses.</summary>
    NakOfWholePartition,

    /// <summary>A beacon showed that the last packets of a stream are missing.</summary>
    LossFoundByBeacon,

    /// <summary>A note named a packet that is not there any more, or lies in memory that is not open here.</summary>
    LentPacketNotThere,

    /// <summary>A packet that was sent again was read in place, by a note.</summary>
    RepairReadInPlace,

    /// <summary>A member opened the memory that a sender offered.</summary>
    SegmentOpened,

    /// <summary>A member could not open the memory that a sender offered.</summary>
    SegmentNotOpened,

    /// <summary>A socket was found empty, and what a token had named was missing.</summary>
    IntakeByEmptySocket,

    /// <summary>A token told of datagrams that a kernel dropped.</summary>
    KernelDropsTold,

    /// <summary>A member told a token that it lacks packets of which it has read past the place.</summary>
    MemberLosing,

    /// <summary>A member answered a hop so late that it must have stood still.</summary>
    MemberAnswersLate,

    /// <summary>A member told a token that it has not read its socket as far as it should have.</summary>
    MemberReadsSlowly,
    /// <summary>Packets stayed missing, or came from peers only, so that a way was measured.</summary>
    PathSuspected,

    /// <summary>A member said that this node's datagrams must be shorter.</summary>
    PathNarrowed,

    /// <summary>A member said that this node's datagrams may be of any length again.</summary>
    PathWidened,

    /// <summary>A narrow way was measured again, after a while.</summary>
    PathTriedAgain,

    /// <summary>A packet that came in parts was joined.</summary>
    PacketJoined,

    /// <summary>A packet that came in parts gave way to another, since too many did.</summary>
    JoinGaveWay,

    /// <summary>A packet could not be stored, because a cap was reached.</summary>
    PacketFoundNoRoom,

    /// <summary>A packet was stored although the cap was reached: the stream must go on.</summary>
    PacketStoredBeyondCap,

    /// <summary>A packet of another partition was let go, since that partition holds it.</summary>
    ForeignPacketReleased,

    // Recovery: the token and its ring.

    /// <summary>A token came to a member that knows a stream which those before it had not heard of.</summary>
    StreamMetInMidRound,

    /// <summary>A token needed more than one datagram.</summary>
    TokenOfSeveralDatagrams,

    /// <summary>Of a hop of several datagrams one was missing when the next hop came.</summary>
    HopLeftIncomplete,

    /// <summary>A hop was not acknowledged in time, and was sent again.</summary>
    HopSentAgain,

    /// <summary>A member did not answer, and was left out of the round.</summary>
    HopSkipped,

    /// <summary>A member skipped twice got its single send.</summary>
    MemberProbed,

    /// <summary>A member that had been skipped answered again.</summary>
    SkippedMemberBack,

    /// <summary>The member at which the walk of a partition begins did not answer.</summary>
    PartitionLeadSkipped,

    /// <summary>The walk of a partition could not return to where it began.</summary>
    PartitionClosedByAnother,

    /// <summary>A round ended that had left somebody out.</summary>
    RoundIncomplete,

    /// <summary>A round found that everybody has what was sent before the round before it: the next may be far
    /// off.</summary>
    RoundAllWell,

    /// <summary>A round found a member behind, or left one out: the next follows at the usual distance.</summary>
    RoundLeftBehind,

    /// <summary>A token could not return to its leader.</summary>
    RoundLostWithLeader,

    /// <summary>A leader's token did not come back, and it began again.</summary>
    TokenLostAndRebuilt,

    /// <summary>A token came that was older than one seen before.</summary>
    StaleToken,

    /// <summary>A member took the lead, since the leader was silent.</summary>
    LeadTakenOver,

    /// <summary>A leader met the token of another, and gave way.</summary>
    LeaderYielded,

    /// <summary>A leader met the token of another that counts less.</summary>
    OtherLeaderIgnored,

    /// <summary>The leader of a ring was removed from the cluster.</summary>
    LeaderRemoved,

    /// <summary>A new leader was itself the sender of a stream that the one before had found stable.</summary>
    NewLeaderToldItself,

    // Recovery: what removed senders left.

    /// <summary>A sender was removed that a member of its view had never heard of.</summary>
    UnheardStreamOrphaned,

    /// <summary>A sender was removed, of whose stream a member had all that it knew of.</summary>
    StreamOrphaned,

    /// <summary>A sender was removed, of whose stream a member missed something.</summary>
    StreamOrphanedWithGaps,

    /// <summary>A removed sender's stream was closed, and something of it abandoned.</summary>
    StreamClosedWithLoss,

    /// <summary>A removed sender's stream was closed, and all of it was there.</summary>
    StreamClosedWithoutLoss,

    /// <summary>A token named a stream that this member had closed already.</summary>
    ClosedStreamMetAgain,

    /// <summary>The counting of the rounds before abandonment began again.</summary>
    AbandonmentBegunAnew,

    /// <summary>A member learned of a removal from a token.</summary>
    RemovalHeardByToken,

    /// <summary>A packet came from a removed sender.</summary>
    PacketOfRemovedSender,

    /// <summary>A packet came from a removed sender whose stream was closed.</summary>
    PacketOfClosedStream,

    // Delivery.

    /// <summary>A message came again in another packet.</summary>
    DuplicateMessage,

    /// <summary>A message came before the one it follows.</summary>
    MessageHeld,

    /// <summary>A message was joined from fragments.</summary>
    MessageJoined,

    /// <summary>A message was sent before the receiver's stay began.</summary>
    MessageBeforeStay,

    /// <summary>A message came that a new receiver may not begin with.</summary>
    MessageWaitsForPlace,

    /// <summary>A receiver's first message came after later ones.</summary>
    PlaceStartedWithHeld,

    /// <summary>A message became deliverable while another of its sender was being delivered.</summary>
    DeliveryNested,

    /// <summary>A packet came of a step that is not installed.</summary>
    PacketHeldForStep,

    /// <summary>A packet was handled once its step was installed.</summary>
    HeldPacketReplayed,

    /// <summary>A node left a group with messages undelivered.</summary>
    HeldDroppedAtLeave,

    /// <summary>Messages were reported lost.</summary>
    LossReported,

    /// <summary>A loss of unknown extent was reported.</summary>
    LossOfUnknownCount,

    /// <summary>A packet came of a view that is not installed.</summary>
    UnrecognisedKept,

    /// <summary>A packet was handled once its view was installed.</summary>
    UnrecognisedReplayed,

    /// <summary>A view was not installed in time for its packets.</summary>
    UnrecognisedExpired,

    /// <summary>There was no room for a packet of a view that is not installed.</summary>
    UnrecognisedFull,

    /// <summary>A receiver went on past a gap in a removed sender's messages.</summary>
    GapPassed,

    /// <summary>A removed sender was closed for a receiver that missed nothing.</summary>
    SenderClosedWithoutGap,

    /// <summary>One word of a packet far beyond all that was known was not believed.</summary>
    LeapNotBelieved,

    /// <summary>A second word confirmed it.</summary>
    LeapConfirmed,

    /// <summary>Nobody was in a group and nothing named it: the server forgot it.</summary>
    GroupForgotten,

    /// <summary>A node was told to forget a group that it had been in.</summary>
    NumbersForgotten,

    // Stack.

    /// <summary>A bad header in a read was passed over.</summary>
    ReadResynchronised,

    /// <summary>A read nearly filled its buffer, and stayed where it lay.</summary>
    ReadKeptWhereItLies,
}
