namespace QuickSilver.Protocol.Core;

/// <summary>Which of a node's sockets a read came from.</summary>
public enum SocketRole : byte
{
    /// <summary>The unicast socket for tokens, acknowledgements, NAKs and pulls.</summary>
    Control,

    /// <summary>
    /// The unicast socket for repairs, and for data where a region is carried by unicast; so that data never pushes tokens out of a kernel buffer.
    /// </summary>
    Unicast,

    /// <summary>The multicast socket of one region view.</summary>
    Multicast,
}
