using System.Collections.Concurrent;
using System.Diagnostics.CodeAnalysis;
using System.Net;
using System.Net.Sockets;

namespace QuickSilver.WideArea.Links;

/// <summary>
/// The UDP socket of a gateway. A task receives into reused buffers and wakes the loop; the loop sends without waiting.
/// What the kernel refuses to send, and what comes while too much waits, is counted and counts as lost. What comes
/// while no loop runs is dropped.
/// </summary>
internal sealed class GatewaySocket : IAsyncDisposable
{
    /// <summary>Bytes of the longest datagram that is received whole; a longer one is cut, and then does not open.
    /// </summary>
    public const int BufferBytes = 2048;

    private const int SocketBufferBytes = 4 << 20;
    private const int MostWaiting = 8192;
    private const int WindowsIgnoreUnreachable = -1744830452;

    private readonly Socket _socket;
    private readonly ConcurrentQueue<ReceivedDatagram> _received = new();
    private readonly ConcurrentBag<ReceivedDatagram> _spare = [];
    private readonly CancellationTokenSource _stop = new();
    private readonly Task _receiving;
    private Action? _wake;
    private int _waiting;
    private long _dropped;

    /// <summary>Opens it.</summary>
    /// <param name="listen">Address and port; port 0: a free one.</param>
    /// <exception cref="QuickSilverException"><see cref="ErrorCode.InterfaceUnavailable"/> or
    /// <see cref="ErrorCode.PortsExhausted"/>.</exception>
    public GatewaySocket(IPEndPoint listen)
    {
        _socket = new Socket(listen.AddressFamily, SocketType.Dgram, ProtocolType.Udp) { Blocking = false };
        try
        {
            _socket.ReceiveBufferSize = SocketBufferBytes;
            _socket.SendBufferSize = SocketBufferBytes;
            if (OperatingSystem.IsWindows()) _ = _socket.IOControl(WindowsIgnoreUnreachable, [0, 0, 0, 0], null);
            _socket.Bind(listen);
        }
        catch (SocketException refusal)
        {
            _socket.Dispose();
            throw Refused(listen, refusal);
        }
        LocalEndPoint = (IPEndPoint)_socket.LocalEndPoint!;
        _receiving = Task.Run(ReceiveAsync);
    }

    /// <summary>Where it listens.</summary>
    public IPEndPoint LocalEndPoint { get; }

    /// <summary>True when datagrams wait to be taken.</summary>
    public bool HasReceived => !_received.IsEmpty;

    /// <summary>Datagrams that came while too many waited, or that the kernel refused to send. Any thread.</summary>
    public long Dropped => Volatile.Read(ref _dropped);

    /// <summary>What a start says that cannot listen.</summary>
    public static QuickSilverException Refused(IPEndPoint listen, SocketException refusal) => new(
        refusal.SocketErrorCode is SocketError.AddressAlreadyInUse
            ? ErrorCode.PortsExhausted : ErrorCode.InterfaceUnavailable,
        $"Listen: the gateway cannot listen at {listen}: {refusal.Message}. Choose another address or port.",
        refusal);

    /// <summary>A loop begins to take what comes, or ends. One at a time; any thread.</summary>
    /// <param name="wake">Wakes the loop, on any thread; null: none runs.</param>
    public void SetLoop(Action? wake)
    {
        Volatile.Write(ref _wake, wake);
        if (wake is not null) return;
        while (TryTake(out ReceivedDatagram? late)) Recycle(late);
    }

    /// <summary>Takes a datagram; <see cref="Recycle"/> gives it back. Loop thread only.</summary>
    public bool TryTake([NotNullWhen(true)] out ReceivedDatagram? datagram)
    {
        if (!_received.TryDequeue(out datagram)) return false;
        Interlocked.Decrement(ref _waiting);
        return true;
    }

    /// <summary>Gives a datagram back, to be received into.</summary>
    public void Recycle(ReceivedDatagram datagram) => _spare.Add(datagram);

    /// <summary>Sends a datagram. Loop thread only.</summary>
    public void Send(ReadOnlySpan<byte> datagram, SocketAddress to)
    {
        try
        {
            _ = _socket.SendTo(datagram, SocketFlags.None, to);
        }
        catch (SocketException)
        {
            Interlocked.Increment(ref _dropped);
        }
        catch (ObjectDisposedException)
        {
            Interlocked.Increment(ref _dropped);
        }
    }

    /// <summary>An address in the form that the socket sends to.</summary>
    public SocketAddress ToSocketAddress(IPAddress address, int port)
    {
        bool isMapped = _socket.AddressFamily == AddressFamily.InterNetworkV6
            && address.AddressFamily == AddressFamily.InterNetwork;
        return new IPEndPoint(isMapped ? address.MapToIPv6() : address, port).Serialize();
    }

    /// <summary>True for addresses that the socket can send to.</summary>
    public bool Reaches(IPAddress address) => address.AddressFamily == _socket.AddressFamily
        || (_socket.AddressFamily == AddressFamily.InterNetworkV6 && _socket.DualMode);

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync().ConfigureAwait(false);
        _socket.Dispose();
        await _receiving.ConfigureAwait(false);
        _stop.Dispose();
    }

    private async Task ReceiveAsync()
    {
        while (!_stop.IsCancellationRequested)
        {
            ReceivedDatagram datagram = _spare.TryTake(out ReceivedDatagram? spare)
                ? spare
                : new ReceivedDatagram(new byte[BufferBytes], new SocketAddress(_socket.AddressFamily));
            try
            {
                datagram.Length = await _socket
                    .ReceiveFromAsync(datagram.Buffer, SocketFlags.None, datagram.Source, _stop.Token)
                    .ConfigureAwait(false);
                if (Volatile.Read(ref _wake) is not { } wake)
                {
                    _spare.Add(datagram);
                    continue;
                }
                if (Interlocked.Increment(ref _waiting) > MostWaiting)
                {
                    Interlocked.Decrement(ref _waiting);
                    Interlocked.Increment(ref _dropped);
                    _spare.Add(datagram);
                    continue;
                }
                _received.Enqueue(datagram);
                wake();
            }
            catch (Exception end) when (end is OperationCanceledException or ObjectDisposedException)
            {
                return;
            }
            catch (SocketException)
            {
                // A report that something sent earlier did not arrive, or a datagram too long for the buffer.
                _spare.Add(datagram);
                if (_stop.IsCancellationRequested) return;
            }
        }
    }
}
