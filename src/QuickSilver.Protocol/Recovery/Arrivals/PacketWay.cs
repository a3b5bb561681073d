namespace QuickSilver.Protocol.Recovery.Arrivals;

/// <summary>In which form a packet came.</summary>
internal enum PacketWay
{
    /// <summary>As one datagram, from its sender or a peer.</summary>
    Whole,

    /// <summary>In parts, which were joined.</summary>
    Joined,
}
