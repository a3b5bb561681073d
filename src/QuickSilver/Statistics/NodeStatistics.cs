namespace QuickSilver;

/// <summary>Counters of a node since its start, and gauges, as of <see cref="Time"/>. The core thread takes each
/// snapshot at one instant. A snapshot is at most 100 ms old on a busy node, at most a second on an idle one, and does
/// not change.</summary>
public sealed record NodeStatistics
{
    /// <summary>When the snapshot was taken.</summary>
    public DateTimeOffset Time { get; init; }

    /// <summary>Time since the node's start.</summary>
    public TimeSpan Uptime { get; init; }

    /// <summary>State of the node.</summary>
    public NodeState State { get; init; }

    /// <summary>What protects the node's connections and datagrams; never <see cref="SecurityMode.Auto"/>.</summary>
    public SecurityMode Security { get; init; } = SecurityMode.None;

    /// <summary>The cipher of the node's newest region view; null when nothing is sealed, or there was no view yet. All
    /// nodes that send in a view seal with one cipher: <see cref="SecurityCipher.Auto"/> says which.</summary>
    public SecurityCipher? Cipher { get; init; }

    /// <summary>Number of joined groups.</summary>
    public int Groups { get; init; }

    /// <summary>Number of groups that the node publishes to; it may be in some of them.</summary>
    public int Publishers { get; init; }

    /// <summary>Number of regions known to this node: its own, and those it sends to.</summary>
    public int Regions { get; init; }

    /// <summary>Number of nodes in those regions.</summary>
    public int Members { get; init; }

    /// <summary>Number of members that the membership server waits for in <see cref="NodeState.WaitingForMajority"/>; 0
    /// in other states.</summary>
    public int MembersMissing { get; init; }

    /// <summary>Number of installed membership changes.</summary>
    public long ViewChanges { get; init; }

    /// <summary>Number of times a member became suspect: it had answered none of this node's requests for one second.
    /// Counts each member once per episode, which an answer ends. 0 after a healthy start.</summary>
    public long Suspicions { get; init; }

    /// <summary>Number of members that hold up a region which this node is in or sends to, this node included.
    /// <see cref="QuickSilverNode.GetSlowestMembersAsync"/> lists them.</summary>
    public int MembersHoldingUp { get; init; }

    /// <summary>Number of members of this node's regions, and of those that it sends to, that were removed because they
    /// were too slow (<see cref="MemberShed"/>).</summary>
    public long MembersShed { get; init; }

    /// <summary>How long the most persistent of these members has held up a region; zero without any.</summary>
    public TimeSpan LongestHoldUp { get; init; }

    /// <summary>Messages that were numbered and assigned to a view. Admitted messages without a number count only in
    /// <see cref="GroupStatistics.MessagesSent"/> of their group.</summary>
    public long MessagesSent { get; init; }

    /// <summary>Messages delivered to this node's groups, its own included, read by the application or not.</summary>
    public long MessagesReceived { get; init; }

    /// <summary>Messages that the application's readers and handlers have taken. A message counts once for each handle
    /// that took it, and twice for a handle with both handlers and a reader.</summary>
    public long MessagesRead { get; init; }

    /// <summary>Bytes of the numbered messages.</summary>
    public long BytesSent { get; init; }

    /// <summary>Bytes of the delivered messages.</summary>
    public long BytesReceived { get; init; }

    /// <summary>Packets sent for the first time, one per region; a hybrid packet counts once.</summary>
    public long PacketsSent { get; init; }

    /// <summary>Packets out of <see cref="PacketsSent"/> that went once to the address of a group with
    /// <see cref="ReliableMode.Hybrid"/>, for two or more of its regions.</summary>
    public long HybridPacketsSent { get; init; }

    /// <summary>Messages to groups with <see cref="ReliableMode.Hybrid"/> that span several regions, and went to one or
    /// more regions by packets of their own: multicast does not reach them whole, they are merged, or they read packets
    /// in shared memory. A message that waited while regions dropped out counts once for each.</summary>
    public long HybridFallbacks { get; init; }

    /// <summary>Packets received by the address of a hybrid group, duplicates included.</summary>
    public long HybridPacketsReceived { get; init; }

    /// <summary>Packets out of <see cref="PacketsSent"/> that nodes of the same machine read in place, in this node's
    /// memory. Only a note of each was sent.</summary>
    public long PacketsLent { get; init; }

    /// <summary>Messages sent for the first time, counted per copy: by multicast one for each region of the group, by
    /// unicast one for each member.</summary>
    public long MessageCopies { get; init; }

    /// <summary>Datagrams sent, of all kinds: data, repairs, control.</summary>
    public long DatagramsSent { get; init; }

    /// <summary>Packets received for the first time, repairs included.</summary>
    public long PacketsReceived { get; init; }

    /// <summary>Packets out of <see cref="PacketsReceived"/> that were read in place, in their sender's
    /// memory.</summary>
    public long PacketsBorrowed { get; init; }

    /// <summary>Packets received again.</summary>
    public long PacketsDuplicate { get; init; }

    /// <summary>Packets received of which no message was in a group that this node is in. They come to members of
    /// merged regions, and for a moment after a leave.</summary>
    public long PacketsFiltered { get; init; }

    /// <summary>Messages received in groups that this node is not in.</summary>
    public long MessagesFiltered { get; init; }

    /// <summary>Datagrams and frames dropped because they broke the protocol or were not addressed to this
    /// node.</summary>
    public long PacketsRejected { get; init; }

    /// <summary>Packets found missing.</summary>
    public long PacketsMissed { get; init; }

    /// <summary>Datagrams that the kernel dropped for lack of buffer space, where it reports them.</summary>
    public long SocketDrops { get; init; }

    /// <summary>Missing packets that a neighbour repaired.</summary>
    public long RepairsFromPeers { get; init; }

    /// <summary>Missing packets that their sender repaired.</summary>
    public long RepairsFromSenders { get; init; }

    /// <summary>Repairs from neighbours or senders for packets that were here already: each was asked for before its
    /// packet came by itself.</summary>
    public long RepairsWasted { get; init; }

    /// <summary>Repairs sent to other nodes.</summary>
    public long RepairsGiven { get; init; }

    /// <summary>Missing packets that arrived in parts, because datagrams of their length do not reach this
    /// node.</summary>
    public long PacketsJoined { get; init; }

    /// <summary>Messages that will never be delivered to this node.</summary>
    public long MessagesLost { get; init; }

    /// <summary>Token rounds that this node completed as leader of a region.</summary>
    public long TokenRounds { get; init; }

    /// <summary>Smoothed duration of those rounds.</summary>
    public TimeSpan TokenRoundTrip { get; init; }

    /// <summary>Messages sent but not yet known to be held by every live member.</summary>
    public long PendingMessages { get; init; }

    /// <summary>Bytes of the pending messages.</summary>
    public long PendingBytes { get; init; }

    /// <summary>Bytes of received packets cached for other members and for delivery.</summary>
    public long CachedBytes { get; init; }

    /// <summary>Length, in bytes, of the longest datagram packed for the region with the narrowest path; 0 while this
    /// node sends to no region.</summary>
    public int DatagramBytes { get; init; }

    /// <summary>Number of paths to and from other nodes that are known to drop long datagrams.</summary>
    public int NarrowPaths { get; init; }

    /// <summary>Number of times that a limit stopped sending to a group.</summary>
    public long BackpressureEpisodes { get; init; }

    /// <summary>
    /// Largest number of members in one region that receive unicast copies from this node, because its multicast does
    /// not reach them. Log record 1210 names them. 0 where regions use unicast anyway.
    /// </summary>
    public int UnicastMembers { get; init; }

    /// <summary>Number of times that this node's multicast was found not to reach a member.</summary>
    public long MembersToUnicast { get; init; }

    /// <summary>Packets per second that the slowest region allows; 0 while none is limited.</summary>
    public double RateLimit { get; init; }

    /// <summary>Packets sent during the last second, per second.</summary>
    public double RateActual { get; init; }

    /// <summary>Unread messages in all inboxes.</summary>
    public long InboxMessages { get; init; }

    /// <summary>Bytes of unread messages and of undisposed leases.</summary>
    public long InboxBytes { get; init; }

    /// <summary>Leases that the application has not disposed of.</summary>
    public long LeasesOutstanding { get; init; }

    /// <summary>Messages that full inboxes dropped.</summary>
    public long MessagesDropped { get; init; }

    /// <summary>Handles that ended because of <see cref="OverflowPolicy.FailGroup"/>.</summary>
    public long SlowConsumers { get; init; }

    /// <summary>Exceptions thrown by the application's handlers, feeds and key selectors.</summary>
    public long HandlerErrors { get; init; }

    /// <summary>Log records that nobody got, because the application's logging provider threw or was slower than the
    /// node.</summary>
    public long LogRecordsLost { get; init; }

    /// <summary>Turns of the core thread's loop.</summary>
    public long LoopTurns { get; init; }

    /// <summary>Share of the last second during which the core thread worked, from 0 to 1.</summary>
    public double LoopUtilization { get; init; }

    /// <summary>Duration of the longest turn so far.</summary>
    public TimeSpan LongestTurn { get; init; }

    /// <summary>Number of times that the core thread was blocked for longer than
    /// <see cref="LoopOptions.StallWarning"/>.</summary>
    public long Stalls { get; init; }

    /// <summary>Size of the receive buffer that the kernel granted to each data socket, in the kernel's own
    /// accounting.</summary>
    public int ReceiveBufferBytes { get; init; }

    /// <summary>What groups of <see cref="GroupMode.Lateral"/> did.</summary>
    public LateralStatistics Lateral { get; init; } = new();

    /// <summary>What groups of <see cref="GroupMode.Timed"/> did.</summary>
    public TimedStatistics Timed { get; init; } = new();

    /// <summary>What groups of <see cref="GroupMode.Ordered"/> did.</summary>
    public OrderedStatistics Ordered { get; init; } = new();
}
