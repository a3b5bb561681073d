namespace QuickSilver.Protocol.Sites.Frames;

/// <summary>What a datagram of a link is. The numbers are those of links alone.</summary>
internal enum LinkKind : byte
{
    /// <summary>A sign of life, by which links begin and are kept: <see cref="HelloBody"/>.</summary>
    Hello = 1,

    /// <summary>A numbered packet with one record: <see cref="LinkDataBody"/>.</summary>
    Data = 2,

    /// <summary>What has come, and what is missing: <see cref="LinkFeedback"/> alone.</summary>
    Ack = 3,

    /// <summary>The highest link number, said while no feedback comes: <see cref="LingerBody"/>.</summary>
    Linger = 4,

    /// <summary>What a packet that is lost is rebuilt from: <see cref="ParityBody"/>.</summary>
    Parity = 5,
}
