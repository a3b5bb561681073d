using System.Collections.Concurrent;
using System.Net;
using System.Net.Sockets;

namespace QuickSilver.Tests.Api;

/// <summary>Stands between nodes and their membership server: shut, it breaks what is open and lets nobody
/// through.</summary>
internal sealed class TcpGate : IAsyncDisposable
{
    private readonly TcpListener _listener = new(IPAddress.Loopback, 0);
    private readonly ConcurrentBag<Socket> _open = [];
    private readonly Task _running;
    private readonly int _serverPort;
    private volatile bool _isShut;

    public TcpGate(int serverPort)
    {
        _serverPort = serverPort;
        _listener.Start();
        _running = RunAsync();
    }

    public int Port => ((IPEndPoint)_listener.LocalEndpoint).Port;

    public void Shut()
    {
        _isShut = true;
        while (_open.TryTake(out Socket? socket)) socket.Dispose();
    }

    public void Open() => _isShut = false;

    public async ValueTask DisposeAsync()
    {
        Shut();
        _listener.Stop();
        await _running;
    }

    private async Task RunAsync()
    {
        while (true)
        {
            Socket client;
            try
            {
                client = await _listener.AcceptSocketAsync();
            }
            catch (Exception end) when (end is SocketException or ObjectDisposedException)
            {
                return;
            }
            _ = CarryAsync(client);
        }
    }

    private async Task CarryAsync(Socket client)
    {
        var server = new Socket(SocketType.Stream, ProtocolType.Tcp);
        try
        {
            _open.Add(client);
            _open.Add(server);
            if (_isShut) return;
            await server.ConnectAsync(IPAddress.Loopback, _serverPort);
            await Task.WhenAny(CopyAsync(client, server), CopyAsync(server, client));
        }
        catch (Exception end) when (end is SocketException or ObjectDisposedException)
        {
            return;
        }
        finally
        {
            client.Dispose();
            server.Dispose();
        }
    }

    private static async Task CopyAsync(Socket from, Socket to)
    {
        var bytes = new byte[16_384];
        try
        {
            while (await from.ReceiveAsync(bytes) is > 0 and int count) await to.SendAsync(bytes.AsMemory(0, count));
        }
        catch (Exception end) when (end is SocketException or ObjectDisposedException)
        {
            return;
        }
    }
}
