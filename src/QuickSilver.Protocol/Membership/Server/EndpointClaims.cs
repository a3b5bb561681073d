using QuickSilver.Protocol.Membership.Frames;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership.Server;

/// <summary>
/// Whether a node may have the endpoints that its registration names. All members send there what the node asks for, so that an endpoint which is
/// not the node's own makes them send to somebody else, many times what the registration cost. It must be one host's, with a port; its address must be
/// one that the connection speaks for (<see cref="IServerLinks.MayName"/>); and no other node that is connected may have it. Core thread only.
/// </summary>
/// <param name="links">Know where connections come from.</param>
/// <param name="nodes">The nodes.</param>
internal sealed class EndpointClaims(IServerLinks links, NodeTable nodes)
{
    /// <summary>Judges a registration.</summary>
    /// <param name="connection">By which it came.</param>
    /// <param name="hello">It.</param>
    /// <param name="own">The node that it is from, or that it replaces; null: none that is known.</param>
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
