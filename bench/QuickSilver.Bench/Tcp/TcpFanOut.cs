using System.Net;
using System.Net.Sockets;
using System.Security.Cryptography.X509Certificates;
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
    private readonly List<TcpConnection> _connections = [];
    private readonly X509Certificate2? _certificate;

    /// <summary>Listens.</summary>
    protected TcpFanOut(IPEndPoint at, bool isSecured)
    {
        if (isSecured) _certificate = TcpConnection.MakeCertificate();
        _listener = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        _listener.Bind(at);
        _listener.Listen();
    }

    /// <summary>One to each receiver.</summary>
    protected IReadOnlyList<TcpConnection> Connections => _connections;

    /// <summary>Waits for the receivers to connect.</summary>
    public async Task AcceptAsync(int receivers)
    {
        while (_connections.Count < receivers)
            _connections.Add(await TcpConnection.AcceptAsync(_listener, _certificate));
    }

    /// <summary>Sends a whole run and closes the connections in order.</summary>
    public abstract Task RunAsync(TrafficSource source, int size);

    /// <inheritdoc/>
    public void Dispose()
    {
        foreach (TcpConnection connection in _connections) connection.Dispose();
        _listener.Dispose();
        _certificate?.Dispose();
    }
}
