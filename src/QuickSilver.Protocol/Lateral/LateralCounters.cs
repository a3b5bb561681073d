namespace QuickSilver.Protocol.Lateral;

/// <summary>What the lateral groups of one node have done. Core thread only.</summary>
internal sealed class LateralCounters
{
    /// <summary>Packets sent for the first time.</summary>
    public ulong PacketsSent;

    /// <summary>Packets received for the first time, however they came.</summary>
    public ulong PacketsReceived;

    /// <summary>Packets that were here already.</summary>
    public ulong PacketsDuplicate;

    /// <summary>Repairs sent.</summary>
    public ulong RepairsSent;

    /// <summary>Bytes of those datagrams.</summary>
    public ulong RepairBytesSent;

    /// <summary>Repairs received.</summary>
    public ulong RepairsReceived;

    /// <summary>Repairs received that told nothing new.</summary>
    public ulong RepairsUseless;

    /// <summary>Repairs that could not be used: they name packets that are no longer kept, or too long.</summary>
    public ulong RepairsUnusable;

    /// <summary>Packets that repairs gave back.</summary>
    public ulong PacketsRecovered;

    /// <summary>Packets rebuilt from repairs that their checksum disproved.</summary>
    public ulong PacketsDisproved;

    /// <summary>Packets that came because they were asked for.</summary>
    public ulong PacketsResent;

    /// <summary>Packets asked for, once for each time.</summary>
    public ulong PacketsAsked;

    /// <summary>Packets sent again to nodes that asked.</summary>
    public ulong ResendsGiven;

    /// <summary>Requests for packets beyond the budget of who asked.</summary>
    public ulong ResendsRefused;

    /// <summary>Messages given up: at their deadline, or after their sender had failed.</summary>
    public ulong MessagesLost;

    /// <summary>Messages out of <see cref="MessagesLost"/> whose deadline passed.</summary>
    public ulong DeadlinesPassed;

    /// <summary>Products of a coefficient and a block, added up in repairs that this node has made.</summary>
    public ulong Combinations;

    /// <summary>Bins in use.</summary>
    public int Bins;

    /// <summary>Bytes of packets kept.</summary>
    public long CachedBytes;
}
