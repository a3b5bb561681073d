using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Core;

/// <summary>How a datagram came: what the transport knows of it, whatever the datagram says.</summary>
/// <param name="Role">The socket it came by.</param>
/// <param name="Source">The address and port it came from.</param>
public readonly record struct Arrival(SocketRole Role, NetEndpoint Source)
{
    /// <summary>True: whatever the source is, it is taken for the sender's; for networks that change the sources of datagrams.</summary>
    public bool IsUnchecked { get; init; }
}
