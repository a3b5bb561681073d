using QuickSilver.Protocol.Wire;
using QuickSilver.Security;

namespace QuickSilver.Diagnostics;

/// <summary>The values of <see cref="NodeStatistics"/> as plain numbers, to be copied between threads without
/// allocating. The node's state is read at the time of the query.</summary>
internal struct NodeFigures
{
    public DateTimeOffset Time;
    public TimeSpan Uptime;
    public int Groups;
    public int Publishers;
    public int Regions;
    public int Members;
    public long ViewChanges;
    public int MembersMissing;
    public long Suspicions;
    public int MembersHoldingUp;
    public long MembersShed;
    public TimeSpan LongestHoldUp;
    public long MessagesSent;
    public long MessagesReceived;
    public long MessagesRead;
    public long BytesSent;
    public long BytesReceived;
    public long PacketsSent;
    public long PacketsLent;
    public long HybridPacketsSent;
    public long HybridFallbacks;
    public long HybridPacketsReceived;
    public long MessageCopies;
    public long DatagramsSent;
    public long PacketsReceived;
    public long PacketsBorrowed;
    public long PacketsDuplicate;
    public long PacketsFiltered;
    public long MessagesFiltered;
    public long PacketsRejected;
    public long PacketsMissed;
    public SealCipher Cipher;
    public long SocketDrops;
    public long RepairsFromPeers;
    public long RepairsFromSenders;
    public long RepairsWasted;
    public long RepairsGiven;
    public long PacketsJoined;
    public long MessagesLost;
    public long TokenRounds;
    public TimeSpan TokenRoundTrip;
    public long PendingMessages;
    public long PendingBytes;
    public long CachedBytes;
    public int DatagramBytes;
    public int NarrowPaths;
    public long BackpressureEpisodes;
    public int MembersByUnicast;
    public long MembersToUnicast;
    public double RateLimit;
    public double RateActual;
    public long InboxMessages;
    public long InboxBytes;
    public long LeasesOutstanding;
    public long MessagesDropped;
    public long SlowConsumers;
    public long HandlerErrors;
    public long LogRecordsLost;
    public long LoopTurns;
    public double LoopUtilization;
    public TimeSpan LongestTurn;
    public long Stalls;
    public int ReceiveBufferBytes;
    public LateralFigures Lateral;
    public TimedFigures Timed;
    public OrderedFigures Ordered;

    /// <summary>Adds the counters of earlier protocol stacks. Gauges stay those of the present stack.</summary>
    public void Carry(in NodeFigures earlier)
    {
        ViewChanges += earlier.ViewChanges;
        Suspicions += earlier.Suspicions;
        MessagesSent += earlier.MessagesSent;
        MessagesReceived += earlier.MessagesReceived;
        BytesSent += earlier.BytesSent;
        BytesReceived += earlier.BytesReceived;
        PacketsSent += earlier.PacketsSent;
        PacketsLent += earlier.PacketsLent;
        HybridPacketsSent += earlier.HybridPacketsSent;
        HybridFallbacks += earlier.HybridFallbacks;
        HybridPacketsReceived += earlier.HybridPacketsReceived;
        MessageCopies += earlier.MessageCopies;
        DatagramsSent += earlier.DatagramsSent;
        PacketsReceived += earlier.PacketsReceived;
        PacketsDuplicate += earlier.PacketsDuplicate;
        PacketsFiltered += earlier.PacketsFiltered;
        MessagesFiltered += earlier.MessagesFiltered;
        PacketsRejected += earlier.PacketsRejected;
        PacketsMissed += earlier.PacketsMissed;
        RepairsFromPeers += earlier.RepairsFromPeers;
        RepairsFromSenders += earlier.RepairsFromSenders;
        RepairsWasted += earlier.RepairsWasted;
        RepairsGiven += earlier.RepairsGiven;
        MembersToUnicast += earlier.MembersToUnicast;
        PacketsJoined += earlier.PacketsJoined;
        MessagesLost += earlier.MessagesLost;
        TokenRounds += earlier.TokenRounds;
        BackpressureEpisodes += earlier.BackpressureEpisodes;
        Lateral.Carry(earlier.Lateral);
        Timed.Carry(earlier.Timed);
        Ordered.Carry(earlier.Ordered);
    }

    /// <summary>Converts to the public type.</summary>
    public readonly NodeStatistics ToStatistics() => new()
    {
        Time = Time,
        Uptime = Uptime,
        Groups = Groups,
        Publishers = Publishers,
        Regions = Regions,
        Members = Members,
        ViewChanges = ViewChanges,
        MembersMissing = MembersMissing,
        Suspicions = Suspicions,
        MembersHoldingUp = MembersHoldingUp,
        MembersShed = MembersShed,
        LongestHoldUp = LongestHoldUp,
        MessagesSent = MessagesSent,
        MessagesReceived = MessagesReceived,
        MessagesRead = MessagesRead,
        BytesSent = BytesSent,
        BytesReceived = BytesReceived,
        PacketsSent = PacketsSent,
        PacketsLent = PacketsLent,
        HybridPacketsSent = HybridPacketsSent,
        HybridFallbacks = HybridFallbacks,
        HybridPacketsReceived = HybridPacketsReceived,
        MessageCopies = MessageCopies,
        DatagramsSent = DatagramsSent,
        PacketsReceived = PacketsReceived,
        PacketsBorrowed = PacketsBorrowed,
        PacketsDuplicate = PacketsDuplicate,
        PacketsFiltered = PacketsFiltered,
        MessagesFiltered = MessagesFiltered,
        PacketsRejected = PacketsRejected,
        PacketsMissed = PacketsMissed,
        Cipher = CipherChoice.ToPublic(Cipher),
        SocketDrops = SocketDrops,
        RepairsFromPeers = RepairsFromPeers,
        RepairsFromSenders = RepairsFromSenders,
        RepairsWasted = RepairsWasted,
        RepairsGiven = RepairsGiven,
        PacketsJoined = PacketsJoined,
        MessagesLost = MessagesLost,
        TokenRounds = TokenRounds,
        TokenRoundTrip = TokenRoundTrip,
        PendingMessages = PendingMessages,
        PendingBytes = PendingBytes,
        CachedBytes = CachedBytes,
        DatagramBytes = DatagramBytes,
        NarrowPaths = NarrowPaths,
        BackpressureEpisodes = BackpressureEpisodes,
        UnicastMembers = MembersByUnicast,
        MembersToUnicast = MembersToUnicast,
        RateLimit = RateLimit,
        RateActual = RateActual,
        InboxMessages = InboxMessages,
        InboxBytes = InboxBytes,
        LeasesOutstanding = LeasesOutstanding,
        MessagesDropped = MessagesDropped,
        SlowConsumers = SlowConsumers,
        HandlerErrors = HandlerErrors,
        LogRecordsLost = LogRecordsLost,
        LoopTurns = LoopTurns,
        LoopUtilization = LoopUtilization,
        LongestTurn = LongestTurn,
        Stalls = Stalls,
        ReceiveBufferBytes = ReceiveBufferBytes,
        Lateral = Lateral.ToStatistics(),
        Timed = Timed.ToStatistics(),
        Ordered = Ordered.ToStatistics(),
    };
}
