namespace QuickSilver.Protocol.Timed.Receiving;

/// <summary>What has become of one packet at a receiver.</summary>
internal enum PacketState : byte
{
    /// <summary>Nothing is known of it.</summary>
    Unknown,

    /// <summary>A later packet is known: it is missing.</summary>
    Missing,

    /// <summary>It is here, and its message waits for its turn or for other packets.</summary>
    Waiting,

    /// <summary>It is here, and its message was delivered ahead of its turn.</summary>
    Delivered,

    /// <summary>A newer message with its key came: it is not needed.</summary>
    Replaced,

    /// <summary>It did not come in time, or its sender does not hold it any longer.</summary>
    Lost,
}
