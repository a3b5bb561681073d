namespace QuickSilver.Protocol.Wire;

/// <summary>Flags of a datagram header.</summary>
[Flags]
internal enum DatagramFlags : ushort
{
    /// <summary>None.</summary>
    None = 0,

    /// <summary>The payload's CRC-32C is filled in and must match.</summary>
    PayloadChecksum = 1,

    /// <summary>
    /// The sender has used half of its window, or may not admit more before some of it is stable: the region leader
    /// should start a token round at once.
    /// </summary>
    FeedbackWanted = 2,

    /// <summary>A repair that comes from a peer's cache; without it, a repair comes from the packet's sender.</summary>
    FromPeer = 4,

    /// <summary>A beacon that ends its stream: no packet follows unless the sender is admitted again.</summary>
    Final = 8,

    /// <summary>
    /// A caller waits until messages are stable: the region leader should not let a round wait longer than usual.
    /// </summary>
    FeedbackAwaited = 16,

    /// <summary>A packet that its sender sent once for several regions, to its group's address.</summary>
    Hybrid = 32,
}
