namespace QuickSilver.Protocol.Membership.Frames;

/// <summary>
/// First byte of a frame. Frames from <see cref="Join"/> to <see cref="Cease"/> and from <see cref="Nodes"/> on are
/// numbered by both ends, and sent again to a node that returns (see <see cref="SessionLog"/>); the others are not.
/// </summary>
internal enum FrameKind : byte
{
    /// <summary>Node: the registration. See <see cref="HelloFrame"/>.</summary>
    Hello = 1,

    /// <summary>Both: the sender is alive, and has received a number of numbered frames (varint).</summary>
    Heartbeat = 2,

    /// <summary>Node: it leaves. No body.</summary>
    Goodbye = 3,

    /// <summary>Node: its knowledge of the cluster, when a server requests it. See <see cref="ReportFrame"/>.</summary>
    Report = 4,

    /// <summary>
    /// Node: its observations of others; sent only while there are some, and once when there are none left. See
    /// <see cref="ObservedFrame"/>.
    /// </summary>
    Observed = 5,

    /// <summary>Host: asks another whether it serves the same cluster. See <see cref="HostClaimFrame"/>.</summary>
    HostQuery = 6,

    /// <summary>Node: asks, before it registers, whether its cluster is served here. See
    /// <see cref="SeekFrame"/>.</summary>
    Seek = 7,

    /// <summary>Node: mode (byte), count (varint), names (text).</summary>
    Join = 8,

    /// <summary>Node: count (varint), group counters (varint each).</summary>
    Leave = 9,

    /// <summary>Node: the step installed (varint), numbered frames received (varint).</summary>
    Installed = 10,

    /// <summary>Node: the step that all its senders have switched to (varint).</summary>
    Switched = 11,

    /// <summary>Node: a view it is done with (epoch, varint), the step it had installed then (varint).</summary>
    Done = 12,

    /// <summary>
    /// Node: a view of which it is a member (epoch, varint), then the number (varint) and keys (varint each) of removed
    /// senders whose streams to it are closed at the node.
    /// </summary>
    Closed = 13,

    /// <summary>Node: groups that it wants to publish to: mode (byte), count (varint), names (text).</summary>
    Publish = 14,

    /// <summary>Node: groups that it ceases to publish to: count (varint), group counters (varint each).</summary>
    Cease = 15,

    /// <summary>Process: a question in an election among the nodes. See <see cref="Voting.VoteRequest"/>.</summary>
    Vote = 16,

    /// <summary>Process: the answer to it. See <see cref="Voting.VoteAnswer"/>.</summary>
    VoteAnswer = 17,

    /// <summary>Server: the registration is accepted. See <see cref="WelcomeFrame"/>.</summary>
    Welcome = 32,

    /// <summary>
    /// Server: the node is refused or removed (byte, a <see cref="MembershipRefusal"/>). For its version: then the
    /// oldest and the newest that the cluster speaks (byte each).
    /// </summary>
    Expelled = 33,

    /// <summary>Server: the node comes from another server and is unknown: it is to report. No body.</summary>
    ReportRequest = 34,

    /// <summary>Server: the nodes for which the node's joins wait. See <see cref="WaitingFrame"/>.</summary>
    Waiting = 35,

    /// <summary>
    /// Server: it gives its young cluster up for an older one; the node is to register again as if for the first time.
    /// No body.
    /// </summary>
    Forget = 36,

    /// <summary>Server: it holds, or has stopped. See <see cref="HoldFrame"/>.</summary>
    Hold = 37,

    /// <summary>Host: the answer to <see cref="HostQuery"/>.</summary>
    HostAnswer = 38,

    /// <summary>Host: the cluster of <see cref="Seek"/> is served here. No body.</summary>
    Found = 39,

    /// <summary>
    /// Server: descriptions of nodes, which change nothing by themselves. See <see cref="NodeFrame"/>.
    /// </summary>
    Nodes = 40,

    /// <summary>
    /// Server: id, mode and name of groups that the node joins, or publishes to, with the next step. See
    /// <see cref="GroupFrame"/>.
    /// </summary>
    Groups = 41,

    /// <summary>
    /// Server: the group sets of regions that concern the node from the next step on. See <see cref="RegionFrame"/>.
    /// </summary>
    Regions = 42,

    /// <summary>Server: a step, which commits the descriptions before it. See <see cref="StepFrame"/>.</summary>
    Step = 43,

    /// <summary>Server: senders may use the step (varint).</summary>
    Activate = 44,

    /// <summary>Server: all senders use the step, or are gone (varint).</summary>
    Settled = 45,

    /// <summary>Server: the view has retired (epoch, varint).</summary>
    Retired = 46,

    /// <summary>
    /// Server: the node has been removed from the cluster (its key, varint; why, a byte:
    /// <see cref="MembershipRefusal"/>).
    /// </summary>
    NodeRemoved = 47,

    /// <summary>Server: reason (byte), name of the group (text).</summary>
    JoinRefused = 48,

    /// <summary>Server: the node may not publish to a group: reason (byte), name of the group (text).</summary>
    PublishRefused = 49,

    /// <summary>
    /// Server: groups that no node is in or publishes to, and no view names; their numbers are not used again
    /// (counters, see <see cref="CounterRuns"/>).
    /// </summary>
    GroupsForgotten = 50,

    /// <summary>
    /// Server: the keys of the views that the next step opens; only in secured clusters. See <see cref="KeysFrame"/>.
    /// </summary>
    Keys = 51,

    /// <summary>
    /// Server: a monitor is open in the cluster (1), or none is left (0): a byte. Only to nodes that take it
    /// (<see cref="HelloField.Monitored"/>).
    /// </summary>
    Monitored = 52,
}
