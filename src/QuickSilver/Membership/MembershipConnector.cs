using System.Net;
using System.Net.Sockets;
using QuickSilver.Membership.Discovery;
using QuickSilver.Security;

namespace QuickSilver.Membership;

/// <summary>Finds a node's membership server, and connects to it. Used by one <see cref="TcpMembershipLink"/>, one call
/// at a time.</summary>
/// <param name="security">Secures connections; null for none.</param>
internal abstract class MembershipConnector(ChannelSecurity? security) : IAsyncDisposable
{
    /// <summary>Describes a server whose process may have been stopped: the kernel accepts for it.</summary>
    public const string AcceptedOnly = "it accepted the connection and did not answer";

    private const int MostDoublings = 2;

    // The time limit of one attempt to connect, of the resolution of a name, and of the first handshake.
    private static readonly TimeSpan ConnectTimeout = TimeSpan.FromSeconds(3);

    // Of each of several addresses: a first packet that is lost is sent again after a second.
    private static readonly TimeSpan EachConnectTimeout = TimeSpan.FromSeconds(1.5);

    private readonly Dictionary<string, int> _silences = [];
    private IPAddress? _nodeAddress;

    /// <summary>The membership host of this process; null when another process serves. Any thread.</summary>
    public virtual MembershipHost? Host => null;

    /// <summary>The address at which the node receives, whose family its connections have; null before it is known. Any
    /// thread.</summary>
    public IPAddress? NodeAddress
    {
        get => Volatile.Read(ref _nodeAddress);
        set => Volatile.Write(ref _nodeAddress, value);
    }

    /// <summary>The instance of the electorate of the server that was reached last; 0: none is known. Any
    /// thread.</summary>
    public virtual ulong Electorate => 0;

    /// <summary>Tries once to reach a server.</summary>
    /// <param name="events">Receives the progress of the attempt.</param>
    /// <param name="stop">Cancels the attempt.</param>
    /// <returns>A connected socket; or null, and the reason.</returns>
    public abstract ValueTask<Reached> TryConnectAsync(ILinkEvents events, CancellationToken stop);

    /// <summary>Takes another list of servers, for the attempts to come. Any thread.</summary>
    /// <param name="servers">The servers; at least one.</param>
    /// <returns>False where no list is looked at.</returns>
    public virtual bool TryChangeServers(IReadOnlyList<(string Host, int Port)> servers) => false;

    /// <summary>Describes what came of the last attempt at each server, for the text of an exception; null where there
    /// is one place only. Any thread.</summary>
    public virtual string? DescribeTries() => null;

    /// <summary>Notes that the node uses another address of the machine from now on. Any thread.</summary>
    public virtual void OnAddressChanged(IPAddress before, IPAddress after)
    {
        NodeAddress = after;
        Discovery?.OnAddressChanged(after);
    }

    /// <summary>Finds further servers, and announces the host of this process; null for none. The connector disposes
    /// of it.</summary>
    public ServerDiscovery? Discovery { get; init; }

    /// <summary>Stops the host and tasks that this connector runs, after its announcements.</summary>
    public async ValueTask DisposeAsync()
    {
        if (Discovery is not null) await Discovery.DisposeAsync().ConfigureAwait(false);
        await StopAsync().ConfigureAwait(false);
    }

    /// <summary>Stops the host and tasks that this connector runs.</summary>
    protected virtual ValueTask StopAsync() => ValueTask.CompletedTask;

    /// <summary>Makes sure that a server is the right one, over the connection to it. The caller disposes of what was
    /// reached after a failure.</summary>
    /// <param name="reached">The secured connection.</param>
    /// <param name="place">The place of the server, for a failure.</param>
    /// <param name="stop">Cancels the exchange.</param>
    /// <returns>The reason of a failure; null for none.</returns>
    protected virtual ValueTask<Reached?> FindMisfitAsync(Reached reached, string place, CancellationToken stop) =>
        ValueTask.FromResult<Reached?>(null);

    /// <summary>True when this process serves at a port of this machine.</summary>
    protected virtual bool IsOwn(int port) => false;

    /// <summary>Connects to a host, at the first of its addresses where a server answers, and secures the connection. A
    /// name is resolved again each time.</summary>
    protected async ValueTask<Reached> TryConnectAsync(
        string host, int port, ILinkEvents events, CancellationToken stop)
    {
        string place = MembershipOptions.PlaceOf(host, port);
        if (!IPAddress.TryParse(host, out _))
            events.OnSeeking($"the name {host} is to be resolved, and the resolver (DNS) does not answer yet");
        (IPAddress[] addresses, string failure) =
            await HostAddresses.FindAsync(host, ConnectTimeout, stop).ConfigureAwait(false);
        if (addresses.Length > 0) addresses = OfFamily(addresses, out failure);
        events.OnSeeking(addresses.Length > 0 ? $"{place} is called, and has not answered yet" : failure);
        if (addresses.Length == 0) return Reached.Failed($"{place}: {failure}");
        TimeSpan limit = addresses.Length == 1 ? ConnectTimeout : EachConnectTimeout;
        var failures = new List<Reached>();
        foreach (IPAddress address in addresses)
        {
            if (stop.IsCancellationRequested) break;
            var server = new IPEndPoint(address, port);
            string text = addresses.Length == 1 ? place : $"{place} ({address})";
            (Socket? socket, failure) = await TryConnectAsync(server, limit, stop).ConfigureAwait(false);
            Reached reached = socket is null
                ? Reached.Failed($"{text}: {failure}")
                : await TryOpenAsync(socket, host, server, text, stop).ConfigureAwait(false);
            if (reached.Socket is not null) return reached;
            failures.Add(reached);
        }
        return failures.Count == 1 ? failures[0] : Reached.AllOf(failures);
    }

    // The server refuses a node whose connection has another address than its datagrams; a node of the server's own
    // machine may come by loopback.
    private IPAddress[] OfFamily(IPAddress[] addresses, out string failure)
    {
        failure = "";
        if (NodeAddress is not { } own || IPAddress.IsLoopback(own)) return addresses;
        IPAddress[] fitting = Array.FindAll(
            addresses, one => one.AddressFamily == own.AddressFamily || IPAddress.IsLoopback(one));
        if (fitting.Length > 0) return fitting;
        string known = string.Join(", ", addresses.Select(static one => one.ToString()));
        failure = $"it has no address of the family of this node's {own} (it has: {known}): "
            + "choose another Transport.Interface, or give the server an address of that family";
        return [];
    }

    // Each try that ends in silence is followed by a longer one: a handshake that is cut off begins again. Where all
    // are slow none would ever end.
    private async ValueTask<Reached> TryOpenAsync(
        Socket socket, string host, IPEndPoint server, string place, CancellationToken stop)
    {
        int silences = _silences.GetValueOrDefault(place);
        using var limit = new TurnLimit(ConnectTimeout * (1 << Math.Min(silences, MostDoublings)), stop);
        var open = new Reached(socket, null, "");
        try
        {
            socket.NoDelay = true;
            if (security is not null)
            {
                SecuredStream secured =
                    await security.OpenAsNodeAsync(socket, host, limit.Token).ConfigureAwait(false);
                open = open with { Stream = secured.Stream };
            }
            Reached? misfit = await FindMisfitAsync(open, place, limit.Token).ConfigureAwait(false);
            _silences.Remove(place);
            if (misfit is null) return open;
            await open.CloseAsync().ConfigureAwait(false);
            return misfit.Value;
        }
        catch (HandshakeException refusal)
        {
            _silences.Remove(place);
            await open.CloseAsync().ConfigureAwait(false);
            return Reached.Refused(place, refusal);
        }
        catch (Exception broken) when (broken is IOException or SocketException)
        {
            await open.CloseAsync().ConfigureAwait(false);
            return Reached.Failed($"{place}: it ended the connection: {broken.Message}");
        }
        catch (OperationCanceledException)
        {
            await open.CloseAsync().ConfigureAwait(false);
            _silences[place] = silences + 1;
            string what = IsOwn(server.Port)
                ? "this process serves there, and was not ready to answer itself"
                : AcceptedOnly;
            return Reached.Failed($"{place}: {what} {limit.Describe()}") with { IsSilent = true };
        }
    }

    /// <summary>Connects to one endpoint.</summary>
    private static async ValueTask<(Socket? Socket, string Failure)> TryConnectAsync(
        IPEndPoint server, TimeSpan limit, CancellationToken stop)
    {
        using var end = new TurnLimit(limit, stop);
        Socket? socket = null;
        try
        {
            // A lack of descriptors is a normal failure: the next attempt may succeed.
            socket = new Socket(server.AddressFamily, SocketType.Stream, ProtocolType.Tcp);
            await socket.ConnectAsync(server, end.Token).ConfigureAwait(false);
            if (!Equals(socket.LocalEndPoint, socket.RemoteEndPoint)) return (socket, "");
            // No process listens, and the kernel chose the destination's port as the source: TCP connects such a socket
            // to itself.
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
        IPAddress.IsLoopback(server)
            && (refusal.SocketErrorCode is SocketError.NetworkUnreachable or SocketError.HostUnreachable
                or SocketError.NetworkDown or SocketError.AddressNotAvailable)
            ? $"the loopback interface is down; bring it up (ip link set lo up): {refusal.Message}"
            : refusal.Message;
}
