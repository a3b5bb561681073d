using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Core;

/// <summary>How a datagram arrived, as the transport knows it, whatever the datagram claims.</summary>
/// <param name="Role">The socket it came by.</param>
/// <param name="Source">The address and port it came from.</param>
internal readonly record struct Arrival(SocketRole Role, NetEndpoint Source)
{
    /// <summary>
    /// True: any source is accepted as the sender's; for networks that change the sources of datagrams.
    /// </summary>
    public bool IsUnchecked { get; init; }
}
