namespace QuickSilver.Protocol.Membership;

/// <summary>The server's end of its connections to nodes, each a reliable ordered channel of frames with an id of the host's choice.</summary>
public interface IServerLinks
{
    /// <summary>Queues one frame on a connection; the bytes are copied before the call returns.</summary>
    void Send(long connection, ReadOnlySpan<byte> frame);

    /// <summary>Closes a connection after what was queued has gone.</summary>
    void Close(long connection, MembershipRefusal reason);
}
