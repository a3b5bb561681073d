namespace QuickSilver;

/// <summary>A node's counters since its start and gauges of the present, as they were at <see cref="Time"/>: one cut by its core, up to 100 ms old
/// while the node has something to do, up to a second while it has nothing. A copy.</summary>
public sealed record NodeStatistics
{
    /// <summary>When the cut was made.</summary>
    public DateTimeOffset Time { get; init; }

    /// <summary>Since the node's start.</summary>
    public TimeSpan Uptime { get; init; }

    /// <summary>What the node was doing.</summary>
    public NodeState State { get; init; }

    /// <summary>Groups joined.</summary>
    public int Groups { get; init; }

    /// <summary>Regions known to this node: its own, and those it sends to.</summary>
    public int Regions { get; init; }

    /// <summary>Nodes in those regions.</summary>
    public int Members { get; init; }

    /// <summary>Members that the membership server waits for while <see cref="State"/> is <see cref="NodeState.WaitingForMajority"/>; else 0.</summary>
    public int MembersMissing { get; init; }

    /// <summary>Changes of membership installed.</summary>
    public long ViewChanges { get; init; }

    /// <summary>Times that a member began to be suspect: it had answered this node nothing for a second of asking. One for each member and episode,
    /// which an answer ends; none on a healthy start.</summary>
    public long Suspicions { get; init; }

    /// <summary>Members that hold up a region which this node is in or sends to, this node included: <see cref="QuickSilverNode.GetSlowestMembersAsync"/>
    /// names them.</summary>
    public int MembersHoldingUp { get; init; }

    /// <summary>For how long the one of them that does so for longest; zero when none does.</summary>
    public TimeSpan LongestHoldUp { get; init; }

    /// <summary>Messages numbered and bound to a view. What was admitted and waits for its number is not in it yet, though it is in
    /// <see cref="GroupStatistics.MessagesSent"/> of its group.</summary>
    public long MessagesSent { get; init; }

    /// <summary>Messages delivered to this node's groups, own ones included, read by the application or not.</summary>
    public long MessagesReceived { get; init; }

    /// <summary>Messages that the application has taken: handed to its readers, and to its handlers. A message counts once for each handle that took
    /// it, and twice where a handle has both handlers and a reader.</summary>
    public long MessagesRead { get; init; }

    /// <summary>Bytes of the messages numbered.</summary>
    public long BytesSent { get; init; }

    /// <summary>Bytes of messages received.</summary>
    public long BytesReceived { get; init; }

    /// <summary>Packets sent for the first time, one per region.</summary>
    public long PacketsSent { get; init; }

    /// <summary>Packets of these that nodes of the same machine read in place, in this node's memory: only notes of them were sent.</summary>
    public long PacketsLent { get; init; }

    /// <summary>Messages as they left for the first time: each once for every region of its group by multicast, once for
    /// every member by unicast.</summary>
    public long MessageCopies { get; init; }

    /// <summary>Datagrams sent, of all kinds: data, repairs, control.</summary>
    public long DatagramsSent { get; init; }

    /// <summary>Packets received for the first time, repairs included.</summary>
    public long PacketsReceived { get; init; }

    /// <summary>Packets of these that were read in place, in their sender's memory.</summary>
    public long PacketsBorrowed { get; init; }

    /// <summary>Packets that were here already.</summary>
    public long PacketsDuplicate { get; init; }

    /// <summary>Datagrams and frames dropped because they broke a rule, or were not for this node.</summary>
    public long PacketsRejected { get; init; }

    /// <summary>Packets found missing.</summary>
    public long PacketsMissed { get; init; }

    /// <summary>Datagrams the kernel dropped for want of room, where it tells.</summary>
    public long SocketDrops { get; init; }

    /// <summary>Missing packets that a neighbour repaired.</summary>
    public long RepairsFromPeers { get; init; }

    /// <summary>Missing packets that their sender repaired.</summary>
    public long RepairsFromSenders { get; init; }

    /// <summary>Repairs sent to others.</summary>
    public long RepairsGiven { get; init; }

    /// <summary>Missing packets that came in parts, since datagrams of their length do not arrive here.</summary>
    public long PacketsJoined { get; init; }

    /// <summary>Messages that will never be delivered here.</summary>
    public long MessagesLost { get; init; }

    /// <summary>Token rounds completed as leader of a region.</summary>
    public long TokenRounds { get; init; }

    /// <summary>Smoothed duration of those rounds.</summary>
    public TimeSpan TokenRoundTrip { get; init; }

    /// <summary>Messages sent and not yet known to be held by every live member.</summary>
    public long PendingMessages { get; init; }

    /// <summary>Bytes of them.</summary>
    public long PendingBytes { get; init; }

    /// <summary>Bytes of received packets kept for others and for delivery.</summary>
    public long CachedBytes { get; init; }

    /// <summary>Bytes of the longest datagram that is packed for the region with the narrowest way; 0 while this node sends to none.</summary>
    public int DatagramBytes { get; init; }

    /// <summary>Ways to and from other nodes that are known to drop long datagrams.</summary>
    public int NarrowPaths { get; init; }

    /// <summary>Times that sending to a group was shut.</summary>
    public long BackpressureEpisodes { get; init; }

    /// <summary>
    /// Members that this node sends copies by unicast, because what it multicasts does not reach them: the most in any of its regions. Log record
    /// 1210 names them. 0 where regions are carried by unicast anyway.
    /// </summary>
    public int UnicastMembers { get; init; }

    /// <summary>Times that a member was found which this node's multicast does not reach.</summary>
    public long MembersToUnicast { get; init; }

    /// <summary>Packets per second that the slowest region allows; 0 while none is limited.</summary>
    public double RateLimit { get; init; }

    /// <summary>Packets per second sent, over the last second.</summary>
    public double RateActual { get; init; }

    /// <summary>Unread messages in all inboxes.</summary>
    public long InboxMessages { get; init; }

    /// <summary>Bytes of them, and of leases not yet disposed of.</summary>
    public long InboxBytes { get; init; }

    /// <summary>Leases not yet disposed of.</summary>
    public long LeasesOutstanding { get; init; }

    /// <summary>Messages dropped by full inboxes.</summary>
    public long MessagesDropped { get; init; }

    /// <summary>Handles ended by <see cref="OverflowPolicy.FailGroup"/>.</summary>
    public long SlowConsumers { get; init; }

    /// <summary>Exceptions of the application's handlers, feeds and key selectors.</summary>
    public long HandlerErrors { get; init; }

    /// <summary>Turns of the core thread's loop.</summary>
    public long LoopTurns { get; init; }

    /// <summary>Share of the last second in which the core thread worked, from 0 to 1.</summary>
    public double LoopUtilization { get; init; }

    /// <summary>The longest turn so far.</summary>
    public TimeSpan LongestTurn { get; init; }

    /// <summary>Times that the core thread was held up for longer than <see cref="LoopOptions.StallWarning"/>.</summary>
    public long Stalls { get; init; }

    /// <summary>Receive buffer that the kernel granted to each data socket, in its own accounting.</summary>
    public int ReceiveBufferBytes { get; init; }
}
