using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership;

/// <summary>
/// The server's end of its connections to nodes: reliable, ordered channels of frames. The host chooses their ids.
/// </summary>
public interface IServerLinks
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
}
