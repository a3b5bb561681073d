namespace QuickSilver.Protocol.Wire;

/// <summary>
/// The kind of a datagram. The order of the values is not the order of priority: see
/// <see cref="DatagramKinds.PriorityOf"/>.
/// </summary>
internal enum DatagramKind : byte
{
    /// <summary>No datagram.</summary>
    None = 0,

    /// <summary>Part of a token on its way to the next member of the ring.</summary>
    Token = 1,

    /// <summary>Acknowledges one hop of a token.</summary>
    TokenAck = 2,

    /// <summary>Feedback of a region to a sender: what is stable, how far the slowest member has read.</summary>
    Ack = 3,

    /// <summary>Asks a sender for packets that a partition lacks.</summary>
    Nak = 4,

    /// <summary>Asks a peer for packets of its partition.</summary>
    Pull = 5,

    /// <summary>
    /// Announces a sender's highest sequence so far; with <see cref="DatagramFlags.Final"/>, the end of the stream.
    /// </summary>
    Beacon = 6,

    /// <summary>A packet sent again, by a peer or by its sender.</summary>
    Repair = 7,

    /// <summary>A packet sent for the first time.</summary>
    Data = 8,

    /// <summary>A start-up probe of the transport; carries a nonce.</summary>
    Probe = 9,

    /// <summary>
    /// The place of a packet in memory that sender and receivers share, sent instead of the packet; or an offer of
    /// shared memory.
    /// </summary>
    Note = 10,

    /// <summary>A note of a packet that is sent again, by a peer or by its sender.</summary>
    RepairNote = 11,

    /// <summary>Informs a node how long its datagrams to the sending member may be, and may ask for fillers.</summary>
    PathQuery = 12,

    /// <summary>Confirms a <see cref="PathQuery"/>, and names the fillers that were sent.</summary>
    PathAnswer = 13,

    /// <summary>
    /// A datagram of a certain length without content: it shows that datagrams of this length arrive.
    /// </summary>
    PathFiller = 14,

    /// <summary>
    /// A part of a packet that is sent again, for a member that datagrams of the packet's length do not reach.
    /// </summary>
    RepairPart = 15,

    /// <summary>
    /// Asks a region which members hear the sender's multicast. Sent by multicast only; the sequence is the number of
    /// the probe.
    /// </summary>
    CarrierProbe = 16,

    /// <summary>A member's report to a sender: whether the sender's multicast reaches it.</summary>
    CarrierWord = 17,

    /// <summary>
    /// A packet of one group, sent once for all regions that the group spans, to the group's own address.
    /// </summary>
    Hybrid = 18,

    /// <summary>A packet of a lateral group, sent for the first time.</summary>
    LateralData = 20,

    /// <summary>A combination of packets of lateral groups, from one receiver to another.</summary>
    LateralRepair = 21,

    /// <summary>Asks a node for packets of lateral groups, by their ids.</summary>
    LateralNak = 22,

    /// <summary>A packet of a lateral group that was asked for.</summary>
    LateralResend = 23,

    /// <summary>A sender's highest numbers in its lateral groups, so that the last losses are found.</summary>
    LateralSession = 24,

    // 25 is not used: earlier versions sent it.

    /// <summary>A packet of a timed group, sent for the first time.</summary>
    TimedData = 26,

    /// <summary>A packet of a timed group sent again, by its sender or by a member that holds it.</summary>
    TimedRepair = 27,

    /// <summary>
    /// Asks for packets of one sender in a timed group. Sent to the asker's region, so that others need not ask. What
    /// goes to the sender alone is a <see cref="TimedAsk"/>.
    /// </summary>
    TimedNak = 28,

    /// <summary>A sender of a timed group names packets that it does not hold any longer.</summary>
    TimedGone = 29,

    /// <summary>
    /// A sender of a timed group announces its last packet and its oldest, and probes the round trip.
    /// </summary>
    TimedStatus = 30,

    /// <summary>A member answers the round-trip probe of a <see cref="TimedStatus"/>.</summary>
    TimedEcho = 31,

    /// <summary>Asks the sender of a timed group for packets, by unicast; its body is that of a <see cref="TimedNak"/>.
    /// </summary>
    TimedAsk = 32,

    /// <summary>A packet of a ring of ordered groups, sent for the first time.</summary>
    OrderedData = 33,

    /// <summary>
    /// A packet of a ring sent again: to all members while the ring runs, to the asker when it has ended.
    /// </summary>
    OrderedRepair = 34,

    /// <summary>The token of a ring, on its way to the next member.</summary>
    OrderedToken = 35,

    /// <summary>A word about the token of a ring: it has arrived, or it is wanted.</summary>
    OrderedWord = 36,

    /// <summary>A member of a ring that has ended reports what it holds of it.</summary>
    OrderedReport = 37,

    /// <summary>Asks a member for packets of a ring that has ended.</summary>
    OrderedAsk = 38,

    /// <summary>A member of a ring asks another whether it hears it, or answers.</summary>
    OrderedCall = 39,
}
