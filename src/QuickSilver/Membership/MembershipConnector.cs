using System.Net.Sockets;

namespace QuickSilver.Membership;

/// <summary>How a node finds its membership server. Used by one <see cref="TcpMembershipLink"/>, one call at a time.</summary>
internal abstract class MembershipConnector : IAsyncDisposable
{
    /// <summary>How long one attempt to connect may take.</summary>
    protected static readonly TimeSpan ConnectTime = TimeSpan.FromSeconds(3);

    /// <summary>The host of this process; null when another serves. Any thread.</summary>
    public virtual MembershipHost? Host => null;

    /// <summary>Tries once to reach a server.</summary>
    /// <param name="events">Told when this process begins to serve.</param>
    /// <param name="stop">Ends the attempt.</param>
    /// <returns>A connected socket, or why there is none.</returns>
    public abstract ValueTask<(Socket? Socket, string Failure)> TryConnectAsync(ILinkEvents events, CancellationToken stop);

    /// <summary>Ends what this connector keeps running.</summary>
    public virtual ValueTask DisposeAsync() => ValueTask.CompletedTask;

    /// <summary>Connects to one address.</summary>
    protected static async ValueTask<(Socket? Socket, string Failure)> TryConnectAsync(string host, int port, CancellationToken stop)
    {
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(stop);
        limit.CancelAfter(ConnectTime);
        Socket? socket = null;
        try
        {
            // Out of descriptors is a failure like another: there may be some again at the next attempt.
            socket = new Socket(SocketType.Stream, ProtocolType.Tcp);
            await socket.ConnectAsync(host, port, limit.Token).ConfigureAwait(false);
            if (!Equals(socket.LocalEndPoint, socket.RemoteEndPoint)) return (socket, "");
            // Nobody listens, and the kernel chose the very port that was called: TCP then connects a socket to itself.
            socket.Dispose();
            return (null, $"{host}:{port}: nobody listens");
        }
        catch (SocketException refusal)
        {
            socket?.Dispose();
            return (null, $"{host}:{port}: {refusal.Message}");
        }
        catch (OperationCanceledException)
        {
            socket?.Dispose();
            return (null, $"{host}:{port}: no answer within {ConnectTime.TotalSeconds:0} s");
        }
    }
}
