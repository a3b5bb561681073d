namespace QuickSilver.Protocol.Recovery;

/// <summary>Counters of recovery since the node's start. Core thread only.</summary>
internal sealed class RecoveryCounters
{
    /// <summary>Packets accepted for the first time, repairs included.</summary>
    public ulong PacketsReceived;

    /// <summary>Hybrid packets taken as packets of a view of this node, repeats among them.</summary>
    public ulong HybridPackets;

    /// <summary>Packets received that this node held already.</summary>
    public ulong PacketsDuplicate;

    /// <summary>Sequences found missing once the socket was read past them.</summary>
    public ulong PacketsMissed;

    /// <summary>Packets that a peer repaired.</summary>
    public ulong RepairsFromPeers;

    /// <summary>Packets that their sender repaired.</summary>
    public ulong RepairsFromSenders;

    /// <summary>Repairs that came, from a peer or the sender, for packets that were here already.</summary>
    public ulong RepairsWasted;

    /// <summary>Repairs sent to peers.</summary>
    public ulong RepairsGiven;

    /// <summary>Packets joined from parts.</summary>
    public ulong PacketsJoined;

    /// <summary>Requests for a packet that were refused since it had been sent to the asker too often.</summary>
    public ulong RepeatsRefused;

    /// <summary>Pulls sent.</summary>
    public ulong PullsSent;

    /// <summary>Rounds completed as leader.</summary>
    public ulong TokenRounds;

    /// <summary>Smoothed duration of the rounds completed as leader.</summary>
    public TimeSpan TokenRoundTrip;

    /// <summary>Hops given up because the member did not answer.</summary>
    public ulong TokenSkips;

    /// <summary>Times that a member became suspect: it had answered nothing for a second.</summary>
    public ulong Suspicions;

    /// <summary>Times this node took the lead of a region from a silent leader.</summary>
    public ulong Takeovers;

    /// <summary>Packets of removed senders that no live member held.</summary>
    public ulong PacketsAbandoned;

    /// <summary>Answers to this node's requests: acknowledgements of hops, and repairs of requested packets.</summary>
    public ulong Answers;

    /// <summary>Control datagrams sent.</summary>
    public ulong ControlSent;

    /// <summary>Bytes of packets in the cache at present.</summary>
    public long CachedBytes;
}
