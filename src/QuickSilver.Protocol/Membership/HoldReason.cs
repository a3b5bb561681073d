namespace QuickSilver.Protocol.Membership;

/// <summary>Why a membership server removes nobody, and makes no view that needs them.</summary>
public enum HoldReason : byte
{
    /// <summary>It does not hold back.</summary>
    None = 0,

    /// <summary>It has taken over, and fewer than half of the members are there.</summary>
    Majority,

    /// <summary>It has lost sight of more than half of the members at once: it may be the server that is cut off.</summary>
    Sight,
}
