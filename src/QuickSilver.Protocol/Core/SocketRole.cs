namespace QuickSilver.Protocol.Core;

/// <summary>The node's socket that a read came from.</summary>
internal enum SocketRole : byte
{
    /// <summary>The unicast socket for tokens, acknowledgements, NAKs and pulls.</summary>
    Control,

    /// <summary>
    /// The unicast socket for repairs, and for data where a region is carried by unicast. It is separate so that data
    /// never displaces tokens from a kernel buffer.
    /// </summary>
    Unicast,

    /// <summary>The multicast socket of one region view.</summary>
    Multicast,
}
