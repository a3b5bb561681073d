using QuickSilver.Protocol.Membership.Frames;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership.Server;

/// <summary>
/// Checks the endpoints that a registration names. All members send to these endpoints, so a foreign one would direct
/// their traffic at a victim, many times the cost of the registration.
/// An endpoint must belong to one host and have a port. Its address must be one that the connection may register
/// (<see cref="IServerLinks.MayName"/>). No other connected node may have it. Core thread only.
/// </summary>
/// <param name="links">Knows the source of each connection.</param>
/// <param name="nodes">The registered nodes.</param>
internal sealed class EndpointClaims(IServerLinks links, NodeTable nodes)
{
    /// <summary>Checks a registration.</summary>
    /// <param name="connection">The connection that it came by.</param>
    /// <param name="hello">The registration.</param>
    /// <param name="own">The node that it comes from or replaces; null when there is none.</param>
    public bool IsGood(long connection, HelloFrame hello, ServerNode? own) =>
        IsGood(connection, hello.Control, own) && IsGood(connection, hello.Data, own);

    /// <summary>True for an address of one host: not unspecified, multicast, broadcast or reserved.</summary>
    public static bool IsHost(uint address) => address >> 24 is > 0 and < 224;

    private bool IsGood(long connection, NetEndpoint endpoint, ServerNode? own)
    {
        if (!IsHost(endpoint.Address) || endpoint.Port == 0 || !links.MayName(connection, endpoint)) return false;
        return nodes.FindByAny(endpoint) is not { Connection: not null } other || other == own;
    }
}
