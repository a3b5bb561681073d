using System.Net;
using System.Net.Sockets;
using QuickSilver.Bench.Roles;

namespace QuickSilver.Bench.Agents;

/// <summary>
/// Waits for coordinators on a TCP port. One at a time may lead a run; another that knows the key is told that the
/// agent is busy; who does not know it is told nothing, and holds one of a few places for a few seconds at most.
/// </summary>
internal sealed class AgentServer : IDisposable
{
    private const int MostHandshakes = 8;

    private readonly TcpListener _listener;
    private readonly AgentKey _key;
    private readonly IPAddress? _address;
    private readonly AgentLimits _limits;
    private readonly SemaphoreSlim _handshakes = new(MostHandshakes);
    private int _isBusy;

    private AgentServer(TcpListener listener, AgentKey key, IPAddress? address, AgentLimits limits)
    {
        _limits = limits;
        _listener = listener;
        _key = key;
        _address = address;
    }

    /// <summary>Where it listens.</summary>
    public IPEndPoint EndPoint => (IPEndPoint)_listener.LocalEndpoint;

    /// <summary>Begins to listen.</summary>
    /// <param name="listen">Where.</param>
    /// <param name="key">What coordinators have to know.</param>
    /// <param name="address">Of the card that roles use; null: the one over which a coordinator calls.</param>
    /// <param name="limits">How long coordinators are waited for; null: as usual.</param>
    /// <exception cref="RunFailedException">The port is taken, or the address is not this host's.</exception>
    public static AgentServer Listen(
        IPEndPoint listen, AgentKey key, IPAddress? address, AgentLimits? limits = null)
    {
        if (address is not null) _ = HostFacts.Here(address);
        var listener = new TcpListener(listen);
        try
        {
            listener.Start();
        }
        catch (SocketException failure)
        {
            listener.Dispose();
            throw new RunFailedException($"cannot listen at {listen}: {failure.Message}");
        }
        return new AgentServer(listener, key, address, limits ?? AgentLimits.Usual);
    }

    /// <summary>Serves until it is told to end; the children of a run end then.</summary>
    public async Task RunAsync(CancellationToken ct)
    {
        var serving = new HashSet<Task>();
        try
        {
            while (true)
            {
                Socket socket = await _listener.AcceptSocketAsync(ct);
                serving.RemoveWhere(task => task.IsCompleted);
                // Without a place to wait in, there is nothing to say.
                if (_handshakes.Wait(0, CancellationToken.None)) serving.Add(ServeAsync(socket, ct));
                else socket.Dispose();
            }
        }
        catch (OperationCanceledException)
        {
            await Task.WhenAll(serving);
        }
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _listener.Dispose();
        _handshakes.Dispose();
    }

    private async Task ServeAsync(Socket socket, CancellationToken ct)
    {
        socket.NoDelay = true;
        var local = (IPEndPoint)socket.LocalEndPoint!;
        await using var stream = new NetworkStream(socket, ownsSocket: true);
        try
        {
            if (await ProveAsync(stream, ct) is not { } connection) return;
            using (connection)
            {
                if (Interlocked.CompareExchange(ref _isBusy, 1, 0) != 0)
                {
                    await connection.WriteAsync(new AgentMessage(AgentMessageKind.Busy));
                    return;
                }
                try
                {
                    Console.Error.WriteLine($"agent: a run for {socket.RemoteEndPoint}");
                    connection.WriteLimit = _limits.Answer;
                    await using var session = new AgentSession(
                        connection, _address ?? local.Address.MapToIPv4(), _limits.Silence);
                    await session.RunAsync(ct);
                }
                finally
                {
                    Volatile.Write(ref _isBusy, 0);
                    Console.Error.WriteLine("agent: the run is over");
                }
            }
        }
        catch (Exception failure)
            when (failure is IOException or InvalidDataException or RunFailedException or OperationCanceledException
                or ObjectDisposedException)
        {
            Console.Error.WriteLine($"agent: {failure.Message}");
        }
    }

    private async Task<AgentConnection?> ProveAsync(Stream stream, CancellationToken ct)
    {
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(ct);
        limit.CancelAfter(_limits.Answer);
        try
        {
            return await AgentHandshake.AcceptAsync(stream, _key, limit.Token);
        }
        finally
        {
            _handshakes.Release();
        }
    }
}
