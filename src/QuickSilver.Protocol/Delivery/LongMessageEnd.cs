namespace QuickSilver.Protocol.Delivery;

/// <summary>How a long message ends at a receiver.</summary>
internal enum LongMessageEnd : byte
{
    /// <summary>Every byte has been delivered.</summary>
    Complete,

    /// <summary>The sender gave it up.</summary>
    GivenUp,

    /// <summary>The sender was removed from the cluster, or left the group, before the last piece.</summary>
    SenderGone,

    /// <summary>A piece is lost, or contradicts those before it.</summary>
    Broken,

    /// <summary>This node has left the group.</summary>
    Left,
}
