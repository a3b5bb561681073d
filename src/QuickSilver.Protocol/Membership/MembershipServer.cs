using QuickSilver.Protocol.Core;

namespace QuickSilver.Protocol.Membership;

/// <summary>The membership server of one cluster, as a pure state machine. Core thread only.</summary>
public sealed class MembershipServer
{
    /// <summary>Makes a server without nodes, in an epoch of its own.</summary>
    public MembershipServer(MembershipServerSettings settings, AlarmQueue alarms, SeededRandom random, IServerLinks links)
    {
        _ = settings;
        _ = alarms;
        _ = random;
        _ = links;
    }

    /// <summary>A connection has opened; its first frame must be a registration.</summary>
    public void OnConnected(long connection, Instant now) => throw new NotSupportedException();

    /// <summary>A frame came by a connection.</summary>
    public void OnFrame(long connection, ReadOnlySpan<byte> frame, Instant now) => throw new NotSupportedException();

    /// <summary>A connection broke or was closed by the other side.</summary>
    public void OnDisconnected(long connection, Instant now) => throw new NotSupportedException();

    /// <summary>Cancels the server's alarms; it is not used afterwards. Connections are left to the host.</summary>
    public void Stop(Instant now) => throw new NotSupportedException();
}
