using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership;

/// <summary>The server's end of its connections to nodes, each a reliable ordered channel of frames with an id of the host's choice.</summary>
public interface IServerLinks
{
    /// <summary>Queues one frame on a connection; the bytes are copied before the call returns.</summary>
    void Send(long connection, ReadOnlySpan<byte> frame);

    /// <summary>Closes a connection after what was queued has gone.</summary>
    void Close(long connection, MembershipRefusal reason);

    /// <summary>
    /// Whether who speaks by a connection may name an endpoint as its own: one at the address that the connection comes from, or at another that it
    /// answers for. By default any, for carriers that have no addresses.
    /// </summary>
    bool MayName(long connection, NetEndpoint endpoint) => true;
}
