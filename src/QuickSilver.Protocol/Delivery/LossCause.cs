namespace QuickSilver.Protocol.Delivery;

/// <summary>Why messages will never be delivered.</summary>
internal enum LossCause : byte
{
    /// <summary>Their sender was removed from the cluster, and no live member holds them.</summary>
    SenderFailed,

    /// <summary>They grew older than their time to live before they were complete.</summary>
    Expired,

    /// <summary>They were not repaired within the group's delivery deadline.</summary>
    DeadlinePassed,
}
