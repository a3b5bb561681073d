using System.Diagnostics;
using System.Net;
using System.Net.Sockets;

namespace QuickSilver.Membership;

/// <summary>How a node finds its membership server. Used by one <see cref="TcpMembershipLink"/>, one call at a time.</summary>
internal abstract class MembershipConnector : IAsyncDisposable
{
    /// <summary>How long one attempt to connect may take, the resolving of a name included.</summary>
    protected static readonly TimeSpan ConnectTime = TimeSpan.FromSeconds(3);

    /// <summary>The host of this process; null when another serves. Any thread.</summary>
    public virtual MembershipHost? Host => null;

    /// <summary>Tries once to reach a server.</summary>
    /// <param name="events">Told when this process begins to serve.</param>
    /// <param name="stop">Ends the attempt.</param>
    /// <returns>A connected socket, or why there is none.</returns>
    public abstract ValueTask<(Socket? Socket, string Failure)> TryConnectAsync(ILinkEvents events, CancellationToken stop);

    /// <summary>The node speaks by another address of the machine from now on. Any thread.</summary>
    public virtual void OnAddressChanged(IPAddress before, IPAddress after)
    {
    }

    /// <summary>Ends what this connector keeps running.</summary>
    public virtual ValueTask DisposeAsync() => ValueTask.CompletedTask;

    /// <summary>Connects to a host, at one of its addresses.</summary>
    protected static async ValueTask<(Socket? Socket, string Failure)> TryConnectAsync(
        string host, int port, ILinkEvents events, CancellationToken stop)
    {
        long start = Stopwatch.GetTimestamp();
        if (!IPAddress.TryParse(host, out _)) events.OnSeeking($"the name {host} is to be resolved, and the resolver (DNS) does not answer yet");
        (IPAddress[] addresses, string failure) = await HostAddresses.FindAsync(host, ConnectTime, stop).ConfigureAwait(false);
        events.OnSeeking($"{host}:{port} is called, and has not answered yet");
        foreach (IPAddress address in addresses)
        {
            TimeSpan left = ConnectTime - Stopwatch.GetElapsedTime(start);
            if (left <= TimeSpan.Zero) break;
            (Socket? socket, failure) = await TryConnectAsync(new IPEndPoint(address, port), left, stop).ConfigureAwait(false);
            if (socket is not null) return (socket, "");
        }
        return (null, $"{host}:{port}: {failure}");
    }

    /// <summary>Connects to one endpoint.</summary>
    private static async ValueTask<(Socket? Socket, string Failure)> TryConnectAsync(IPEndPoint server, TimeSpan limit, CancellationToken stop)
    {
        using var end = CancellationTokenSource.CreateLinkedTokenSource(stop);
        end.CancelAfter(limit);
        Socket? socket = null;
        try
        {
            // Out of descriptors is a failure like another: there may be some again at the next attempt.
            socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
            await socket.ConnectAsync(server, end.Token).ConfigureAwait(false);
            if (!Equals(socket.LocalEndPoint, socket.RemoteEndPoint)) return (socket, "");
            // Nobody listens, and the kernel chose the very port that was called: TCP then connects a socket to itself.
            socket.Dispose();
            return (null, "nobody listens");
        }
        catch (SocketException refusal)
        {
            socket?.Dispose();
            return (null, Describe(server.Address, refusal));
        }
        catch (OperationCanceledException)
        {
            socket?.Dispose();
            return (null, $"no answer within {limit.TotalSeconds:0} s");
        }
    }

    private static string Describe(IPAddress server, SocketException refusal) =>
        IPAddress.IsLoopback(server) && (refusal.SocketErrorCode is SocketError.NetworkUnreachable or SocketError.HostUnreachable
            or SocketError.NetworkDown or SocketError.AddressNotAvailable)
            ? $"the loopback interface is down; bring it up (ip link set lo up): {refusal.Message}"
            : refusal.Message;
}
