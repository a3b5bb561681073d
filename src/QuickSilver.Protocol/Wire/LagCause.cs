namespace QuickSilver.Protocol.Wire;

/// <summary>Why a member is behind. A higher value explains the lower ones and takes precedence over them.</summary>
internal enum LagCause : byte
{
    /// <summary>
    /// It has read its socket past packets that it does not hold: they were lost on the network, and are not repaired
    /// yet.
    /// </summary>
    Losing = 1,

    /// <summary>
    /// It has not read its socket as far as it should have, or its kernel dropped datagrams that it left there.
    /// </summary>
    ReadingSlowly = 2,

    /// <summary>It answered the token far later than others: it stood still, for whatever reason.</summary>
    Late = 3,

    /// <summary>It does not answer the token.</summary>
    Silent = 4,

    /// <summary>
    /// By its own word its application's handlers take most of the time of its core thread. So it answers late too.
    /// </summary>
    Handling = 5,
}
