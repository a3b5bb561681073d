using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership.Server;

/// <summary>
/// The server's end of its connections to nodes: reliable, ordered channels of frames. The host chooses their ids.
/// </summary>
internal interface IServerLinks
{
    /// <summary>Queues one frame on a connection; the bytes are copied before the call returns.</summary>
    void Send(long connection, ReadOnlySpan<byte> frame);

    /// <summary>Closes a connection after what was queued has gone.</summary>
    void Close(long connection, MembershipRefusal reason);

    /// <summary>
    /// True when the peer of a connection may register an endpoint as its own. That is one at the connection's source
    /// address, or at another address of the same host. By default any, for links without addresses.
    /// </summary>
    bool MayName(long connection, NetEndpoint endpoint) => true;

    /// <summary>
    /// The identity that the peer of a connection has proven, of at most 255 bytes; empty where none is proven. By
    /// default none is.
    /// </summary>
    string IdentityOf(long connection) => "";

    /// <summary>
    /// True while a peer has connected whose first frame is awaited, or has just failed to secure its connection: it
    /// may be a survivor of a lost server. By default false, for links on which connections open with their first
    /// frame.
    /// </summary>
    bool HasStrangers => false;

    /// <summary>True when the peer of a connection may join a group or publish to it. By default any peer
    /// may.</summary>
    /// <param name="connection">The connection.</param>
    /// <param name="nodeName">The name that the node gave itself.</param>
    /// <param name="groupName">The name of the group.</param>
    /// <param name="isPublisher">True when it wants to publish without being a member.</param>
    bool MayEnter(long connection, string nodeName, string groupName, bool isPublisher) => true;
}
