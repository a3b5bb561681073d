using System.Net;
using System.Net.Sockets;
using QuickSilver.Security;

namespace QuickSilver.WideArea.Links;

/// <summary>
/// Takes the connections of other gateways. A caller that has not proven itself costs a socket and a few handshake
/// bytes: those are bounded in number, the oldest goes first, and each has five seconds. While no loop runs callers are
/// turned away, so that they find the gateway of the site that is active. Its task runs on pool threads.
/// </summary>
internal sealed class StreamListener : IAsyncDisposable
{
    /// <summary>How long a handshake may take.</summary>
    public static readonly TimeSpan HandshakeTime = TimeSpan.FromSeconds(5);

    /// <summary>Callers that have not proven themselves, at most.</summary>
    public const int MostUnproven = 64;

    private const int Backlog = 64;
    private const int MostComputing = 2;

    private static readonly TimeSpan FailedPause = TimeSpan.FromMilliseconds(10);

    private readonly Socket _socket;
    private readonly StreamCarrier _carrier;
    private readonly CertificateSource _certificates;
    private readonly IReadOnlyList<StreamPeer> _peers;
    private readonly ConnectionRefusals _refusals;
    private readonly TimeSpan _handshakeTime;
    private readonly Lock _lock = new();
    private readonly LinkedList<Unproven> _unproven = new();
    private readonly HashSet<Task> _tasks = [];
    private readonly SemaphoreSlim _turns = new(MostComputing);
    private readonly CancellationTokenSource _stop = new();
    private readonly Task _accepting;

    /// <summary>Begins to take connections.</summary>
    /// <param name="socket">Listens; owned from now on.</param>
    /// <param name="carrier">Gets the connections.</param>
    /// <param name="certificates">The certificate of this gateway, and its authorities.</param>
    /// <param name="peers">Who may call.</param>
    /// <param name="refusals">Counts who is refused.</param>
    /// <param name="handshakeTime">How long a handshake may take; null: <see cref="HandshakeTime"/>.</param>
    public StreamListener(
        Socket socket, StreamCarrier carrier, CertificateSource certificates, IReadOnlyList<StreamPeer> peers,
        ConnectionRefusals refusals, TimeSpan? handshakeTime = null)
    {
        _socket = socket;
        _carrier = carrier;
        _certificates = certificates;
        _peers = peers;
        _refusals = refusals;
        _handshakeTime = handshakeTime ?? HandshakeTime;
        _accepting = Task.Run(AcceptAsync);
    }

    /// <summary>Opens a socket that listens.</summary>
    /// <exception cref="QuickSilverException"><see cref="ErrorCode.InterfaceUnavailable"/> or
    /// <see cref="ErrorCode.PortsExhausted"/>.</exception>
    public static Socket Listen(IPEndPoint listen)
    {
        var socket = new Socket(listen.AddressFamily, SocketType.Stream, ProtocolType.Tcp);
        try
        {
            // On Windows another process could otherwise bind the same port.
            if (OperatingSystem.IsWindows()) socket.ExclusiveAddressUse = true;
            socket.Bind(listen);
            socket.Listen(Backlog);
            return socket;
        }
        catch (SocketException refusal)
        {
            socket.Dispose();
            throw GatewaySocket.Refused(listen, refusal);
        }
    }

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync().ConfigureAwait(false);
        _socket.Dispose();
        await _accepting.ConfigureAwait(false);
        Task[] open;
        lock (_lock) open = [.. _tasks];
        await Task.WhenAll(open).ConfigureAwait(false);
        _stop.Dispose();
        _turns.Dispose();
    }

    private async Task AcceptAsync()
    {
        while (!_stop.IsCancellationRequested)
        {
            try
            {
                Socket socket = await _socket.AcceptAsync(_stop.Token).ConfigureAwait(false);
                if (_carrier.HasLoop) Begin(socket);
                else socket.Dispose();
            }
            catch (Exception end) when (end is OperationCanceledException or ObjectDisposedException)
            {
                return;
            }
            catch (SocketException)
            {
                // A lack of descriptors, or a caller that has gone already.
                await Task.Delay(FailedPause, CancellationToken.None).ConfigureAwait(false);
            }
        }
    }

    private void Begin(Socket socket)
    {
        var caller = new Unproven(socket, CancellationTokenSource.CreateLinkedTokenSource(_stop.Token));
        lock (_lock)
        {
            if (_unproven.Count >= MostUnproven)
            {
                Unproven oldest = _unproven.First!.Value;
                _unproven.RemoveFirst();
                oldest.MakesRoom = true;
                _ = oldest.Stop.CancelAsync();
            }
            LinkedListNode<Unproven> place = _unproven.AddLast(caller);
            Task task = ProveAsync(caller, place);
            if (task.IsCompleted) return;
            _tasks.Add(task);
            _ = task.ContinueWith(Forget, CancellationToken.None, TaskContinuationOptions.None, TaskScheduler.Default);
        }
    }

    private void Forget(Task task)
    {
        lock (_lock) _tasks.Remove(task);
    }

    private async Task ProveAsync(Unproven caller, LinkedListNode<Unproven> place)
    {
        await Task.Yield();
        string remote = StreamCarrier.NameOf(caller.Socket.RemoteEndPoint);
        bool isAdopted = false;
        try
        {
            StreamConnection.Prepare(caller.Socket);
            caller.Stop.CancelAfter(_handshakeTime);
            var channel = new GatewayChannel(_certificates, _peers);
            SecuredStream secured = await channel
                .OpenAsServerAsync(caller.Socket, _turns, caller.Stop.Token).ConfigureAwait(false);
            isAdopted = true;
            await _carrier.AdoptAsync(caller.Socket, secured, channel.Sites, remote, from: null).ConfigureAwait(false);
        }
        catch (HandshakeException refusal)
        {
            if (refusal.Fault != HandshakeFault.Probe) _refusals.OnRefused(remote, refusal.Message);
        }
        catch (OperationCanceledException)
        {
            string reason = caller.MakesRoom
                ? "too many callers have not proven themselves"
                : $"it did not prove itself within {_handshakeTime.TotalSeconds:0.#} s";
            if (!_stop.IsCancellationRequested) _refusals.OnRefused(remote, reason);
        }
        catch (SocketException)
        {
            // It has gone.
            remote = "";
        }
        finally
        {
            if (!isAdopted) caller.Socket.Dispose();
            lock (_lock)
            {
                if (place.List is not null) _unproven.Remove(place);
            }
            caller.Stop.Dispose();
        }
    }

    private sealed class Unproven(Socket socket, CancellationTokenSource stop)
    {
        public Socket Socket => socket;

        public CancellationTokenSource Stop => stop;

        public bool MakesRoom { get; set; }
    }
}
