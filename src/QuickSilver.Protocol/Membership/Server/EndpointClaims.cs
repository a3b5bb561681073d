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

    /// <summary>
    /// True when the nodes of the cluster cannot reach the node: it is of IPv4 and they are of IPv6, or the reverse.
    /// </summary>
    /// <param name="hello">The registration.</param>
    /// <param name="own">The node that it comes from or replaces; null when there is none.</param>
    public bool IsOfOtherFamily(HelloFrame hello, ServerNode? own)
    {
        bool isIPv6 = hello.Control.Address.IsIPv6;
        if (hello.Data.Address.IsIPv6 != isIPv6) return true;
        foreach (ServerNode node in nodes.Live)
        {
            if (node != own) return node.Info.Control.Address.IsIPv6 != isIPv6;
        }
        return false;
    }

    private bool IsGood(long connection, NetEndpoint endpoint, ServerNode? own)
    {
        if (!endpoint.Address.IsHost || endpoint.Port == 0 || !links.MayName(connection, endpoint)) return false;
        return nodes.FindByAny(endpoint) is not { Connection: not null } other || other == own;
    }
}
