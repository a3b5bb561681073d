using System.Net;
using System.Net.Sockets;

namespace QuickSilver.WideArea.Tests;

/// <summary>A way between two ends that call each other by TCP: each calls the relay's address on its side. Connections
/// can be cut, and be held up.</summary>
internal sealed class TcpRelay : IAsyncDisposable
{
    private readonly Socket[] _sides = [Open(), Open()];
    private readonly IPEndPoint?[] _targets = new IPEndPoint?[2];
    private readonly List<Socket> _open = [];
    private readonly CancellationTokenSource _stop = new();
    private readonly Task[] _accepting;
    private TaskCompletionSource? _held;
    private long _made;

    public TcpRelay() => _accepting = [Task.Run(() => AcceptAsync(0)), Task.Run(() => AcceptAsync(1))];

    /// <summary>Where the first end calls.</summary>
    public IPEndPoint First => (IPEndPoint)_sides[0].LocalEndPoint!;

    /// <summary>Where the second end calls.</summary>
    public IPEndPoint Second => (IPEndPoint)_sides[1].LocalEndPoint!;

    /// <summary>Connections that were made.</summary>
    public long Made => Volatile.Read(ref _made);

    /// <summary>True while connections are turned away.</summary>
    public bool IsCut { get; set; }

    /// <summary>Where the ends are; they may move.</summary>
    public void Connect(IPEndPoint? first, IPEndPoint? second)
    {
        lock (_open) (_targets[0], _targets[1]) = (first ?? _targets[0], second ?? _targets[1]);
    }

    /// <summary>Ends all connections.</summary>
    public void Cut()
    {
        Socket[] open;
        lock (_open)
        {
            open = [.. _open];
            _open.Clear();
        }
        foreach (Socket socket in open) socket.Dispose();
    }

    /// <summary>Nothing passes, and nothing is lost.</summary>
    public void Hold() => _held = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>All passes again.</summary>
    public void Release()
    {
        _held?.TrySetResult();
        _held = null;
    }

    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync();
        Release();
        foreach (Socket side in _sides) side.Dispose();
        await Task.WhenAll(_accepting);
        Cut();
        _stop.Dispose();
    }

    private static Socket Open()
    {
        var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        socket.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        socket.Listen();
        return socket;
    }

    private async Task AcceptAsync(int side)
    {
        while (!_stop.IsCancellationRequested)
        {
            try
            {
                Socket from = await _sides[side].AcceptAsync(_stop.Token);
                IPEndPoint? target;
                lock (_open) target = _targets[1 - side];
                if (target is null || IsCut)
                {
                    from.Dispose();
                    continue;
                }
                var to = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
                lock (_open) _open.AddRange([from, to]);
                Interlocked.Increment(ref _made);
                _ = PassAsync(from, to, target);
            }
            catch (Exception end) when (end is OperationCanceledException or ObjectDisposedException)
            {
                return;
            }
            catch (SocketException)
            {
                // The caller has gone.
                await Task.Yield();
            }
        }
    }

    private async Task PassAsync(Socket from, Socket to, IPEndPoint target)
    {
        try
        {
            await to.ConnectAsync(target);
            await Task.WhenAny(CopyAsync(from, to), CopyAsync(to, from));
        }
        catch (Exception end) when (end is SocketException or ObjectDisposedException)
        {
            // As at the end of any.
            await Task.Yield();
        }
        from.Dispose();
        to.Dispose();
    }

    private async Task CopyAsync(Socket from, Socket to)
    {
        byte[] buffer = new byte[16 << 10];
        try
        {
            while (true)
            {
                int read = await from.ReceiveAsync(buffer);
                if (_held is { } held) await held.Task;
                if (read == 0) return;
                for (int sent = 0; sent < read;) sent += await to.SendAsync(buffer.AsMemory(sent, read - sent));
            }
        }
        catch (Exception end) when (end is SocketException or ObjectDisposedException)
        {
            return;
        }
    }
}
