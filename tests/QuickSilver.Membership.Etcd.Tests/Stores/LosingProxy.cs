using System.Net;
using System.Net.Sockets;

namespace QuickSilver.Membership.Etcd.Tests.Stores;

/// <summary>Passes connections on to a server, until it loses an answer: from then on the connection that was to bring
/// it brings nothing. Later connections are whole.</summary>
internal sealed class LosingProxy : IAsyncDisposable
{
    private readonly TcpListener _listener = new(IPAddress.Loopback, 0);
    private readonly CancellationTokenSource _stop = new();
    private readonly int _port;
    private readonly Func<Task<bool>> _isToLose;
    private readonly Task _accepting;
    private int _lost;

    /// <param name="port">The port of the server.</param>
    /// <param name="isToLose">Whether the answer that has just come is to be lost.</param>
    public LosingProxy(int port, Func<Task<bool>> isToLose)
    {
        _port = port;
        _isToLose = isToLose;
        _listener.Start();
        EndPoint = $"http://{_listener.LocalEndpoint}";
        _accepting = AcceptAsync();
    }

    /// <summary>Where it listens.</summary>
    public string EndPoint { get; }

    /// <summary>How many answers were lost: one at most.</summary>
    public int Lost => _lost;

    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync();
        _listener.Stop();
        await _accepting;
        _stop.Dispose();
    }

    private async Task AcceptAsync()
    {
        var connections = new List<Task>();
        try
        {
            while (true) connections.Add(PassAsync(await _listener.AcceptSocketAsync(_stop.Token)));
        }
        catch (Exception end) when (end is OperationCanceledException or SocketException)
        {
            await Task.WhenAll(connections);
        }
    }

    private async Task PassAsync(Socket client)
    {
        using NetworkStream left = new(client, ownsSocket: true);
        using var server = new TcpClient();
        try
        {
            await server.ConnectAsync(IPAddress.Loopback, _port, _stop.Token);
            NetworkStream right = server.GetStream();
            await Task.WhenAny(left.CopyToAsync(right, _stop.Token), AnswerAsync(right, left));
        }
        catch (Exception end) when (end is OperationCanceledException or IOException or SocketException)
        {
            // The connection has ended.
        }
    }

    private async Task AnswerAsync(NetworkStream server, NetworkStream client)
    {
        byte[] buffer = new byte[16_384];
        while (await server.ReadAsync(buffer, _stop.Token) is var length and > 0)
        {
            if (_lost == 0 && await _isToLose())
            {
                _lost = 1;
                await Task.Delay(Timeout.Infinite, _stop.Token);
            }
            await client.WriteAsync(buffer.AsMemory(0, length), _stop.Token);
        }
    }
}
