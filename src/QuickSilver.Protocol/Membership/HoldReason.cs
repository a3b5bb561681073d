namespace QuickSilver.Protocol.Membership;

/// <summary>The reason why a membership server removes no member, and makes no view that requires removals.</summary>
internal enum HoldReason : byte
{
    /// <summary>The server does not hold.</summary>
    None = 0,

    /// <summary>The server has taken over, and fewer than half of the members have returned.</summary>
    Majority,

    /// <summary>
    /// The server has lost sight of more than half of the members at once: the server itself may be cut off.
    /// </summary>
    Sight,
}
