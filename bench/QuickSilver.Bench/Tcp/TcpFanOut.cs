using System.Net;
using System.Net.Sockets;
using QuickSilver.Bench.Traffic;

namespace QuickSilver.Bench.Tcp;

/// <summary>
/// What a .NET program does without multicast: a connection to each receiver, and every message written to all of them.
/// Backlog is gathered into batches of 64 KiB and written at once; at a fixed rate a message that is alone is written
/// alone. A receiver that lags holds the sender up (TCP's own window), so nothing is dropped; a receiver that dies
/// loses what it had not read.
/// </summary>
internal abstract class TcpFanOut : IDisposable
{
    private readonly Socket _listener;
    private readonly List<Socket> _connections = [];

    /// <summary>Listens.</summary>
    protected TcpFanOut(IPEndPoint at)
    {
        _listener = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        _listener.Bind(at);
        _listener.Listen();
    }

    /// <summary>One to each receiver.</summary>
    protected IReadOnlyList<Socket> Connections => _connections;

    /// <summary>Waits for the receivers to connect.</summary>
    public async Task AcceptAsync(int receivers)
    {
        while (_connections.Count < receivers)
        {
            Socket connection = await _listener.AcceptAsync();
            connection.NoDelay = true;
            _connections.Add(connection);
        }
    }

    /// <summary>Sends a whole run and closes the connections in order.</summary>
    public abstract Task RunAsync(TrafficSource source, int size);

    /// <inheritdoc/>
    public void Dispose()
    {
        foreach (Socket connection in _connections) connection.Dispose();
        _listener.Dispose();
    }
}
