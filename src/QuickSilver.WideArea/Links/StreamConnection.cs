using System.Net.Security;
using System.Net.Sockets;
using QuickSilver.Membership;
using QuickSilver.Protocol.Sites;

namespace QuickSilver.WideArea.Links;

/// <summary>
/// A secured connection to a gateway of another site. A task reads frames and tells the loop of each, and waits while
/// the loop has many of its own to take. Another writes what the loop adds, which never waits. Any thread, unless a
/// member says otherwise.
/// </summary>
internal sealed class StreamConnection
{
    /// <summary>How long nothing may come: both ends send hellos while it serves a link, or is to.</summary>
    public static readonly TimeSpan Silence = TimeSpan.FromSeconds(10);

    private const int ReceiveBytes = 64 << 10;
    private const int MostUntaken = 1024;
    // Bytes in the kernel that have not left. More would only delay what is behind.
    private const int UnsentBytes = 64 << 10;
    private const int LinuxTcp = 6;
    private const int LinuxNotSentLowat = 25;

    private static readonly TimeSpan FlushTime = TimeSpan.FromMilliseconds(500);

    private readonly Socket _socket;
    private readonly Stream _stream;
    private readonly StreamInbox _inbox;
    private readonly TimeSpan _silence;
    private readonly StreamBuffer _buffer = new();
    private readonly SemaphoreSlim _credits = new(MostUntaken);
    private readonly CancellationTokenSource _stop = new();
    private readonly Action _onRoom;
    private long _dropped;
    private int _isEnded;

    /// <summary>Takes ownership of a socket and of the stream over it.</summary>
    /// <param name="socket">The connected socket.</param>
    /// <param name="stream">The secured stream.</param>
    /// <param name="sites">Sites of which the other end has proven to be a gateway.</param>
    /// <param name="remote">Where the other end is, for the log.</param>
    /// <param name="inbox">Is told of all.</param>
    /// <param name="silence">How long nothing may come; null: <see cref="Silence"/>.</param>
    public StreamConnection(
        Socket socket, Stream stream, SiteSet sites, string remote, StreamInbox inbox, TimeSpan? silence = null)
    {
        _socket = socket;
        _stream = stream;
        _inbox = inbox;
        _silence = silence ?? Silence;
        Sites = sites;
        Remote = remote;
        _onRoom = () => _inbox.Post(this, StreamEventKind.Room);
    }

    /// <summary>Sites of which the other end has proven to be a gateway: several, where they have one name.</summary>
    public SiteSet Sites { get; }

    /// <summary>Where the other end is, for the log.</summary>
    public string Remote { get; }

    /// <summary>The proven name of the other end.</summary>
    public string Identity { get; init; } = "";

    /// <summary>The site whose link it serves; negative while that is not known. Loop thread only.</summary>
    public int Site { get; set; } = -1;

    /// <summary>True once it takes nothing more.</summary>
    public bool IsEnded => Volatile.Read(ref _isEnded) != 0;

    /// <summary>Whether a frame of any length has a place. After no, the loop is told of room once.</summary>
    public bool HasRoom => !IsEnded && _buffer.HasRoom;

    /// <summary>Frames that found no place.</summary>
    public long Dropped => Volatile.Read(ref _dropped);

    /// <summary>Readies a socket before it is used.</summary>
    public static void Prepare(Socket socket)
    {
        socket.NoDelay = true;
        if (!OperatingSystem.IsLinux()) return;
        try
        {
            socket.SetRawSocketOption(LinuxTcp, LinuxNotSentLowat, BitConverter.GetBytes(UnsentBytes));
        }
        catch (SocketException)
        {
            // It only keeps queues short.
        }
    }

    /// <summary>Adds a frame to what is written; one that finds no place is dropped. Loop thread only.</summary>
    public void Send(ReadOnlySpan<byte> frame)
    {
        if (!IsEnded && _buffer.TryAdd(frame)) return;
        Interlocked.Increment(ref _dropped);
    }

    /// <summary>The loop has taken a datagram.</summary>
    public void OnTaken() => _credits.Release();

    /// <summary>Ends it; what was added is written first, for half a second at most.</summary>
    public void Close()
    {
        if (Interlocked.Exchange(ref _isEnded, 1) != 0) return;
        _buffer.Complete();
        _stop.CancelAfter(FlushTime);
    }

    /// <summary>Ends it at once.</summary>
    public void Abort()
    {
        Volatile.Write(ref _isEnded, 1);
        _ = _stop.CancelAsync();
    }

    /// <summary>Reads and writes until it ends, and tells the loop.</summary>
    /// <returns>Why this side ended it; null when the other side did, or it broke, or was closed.</returns>
    public async Task<string?> RunAsync()
    {
        _inbox.Post(this, StreamEventKind.Opened);
        Task sending = Task.Run(SendAllAsync);
        string? reason = await ReceiveAllAsync().ConfigureAwait(false);
        Volatile.Write(ref _isEnded, 1);
        await _stop.CancelAsync().ConfigureAwait(false);
        await sending.ConfigureAwait(false);
        await _stream.DisposeAsync().ConfigureAwait(false);
        _socket.Dispose();
        _inbox.Post(this, StreamEventKind.Ended);
        return reason;
    }

    private async Task<string?> ReceiveAllAsync()
    {
        byte[] buffer = new byte[ReceiveBytes];
        int have = 0;
        using var silence = CancellationTokenSource.CreateLinkedTokenSource(_stop.Token);
        try
        {
            while (true)
            {
                silence.CancelAfter(_silence);
                int read = await _stream.ReadAsync(buffer.AsMemory(have), silence.Token).ConfigureAwait(false);
                silence.CancelAfter(Timeout.InfiniteTimeSpan);
                if (read == 0) return null;
                have += read;
                int at = 0, length;
                while ((length = StreamFrame.Measure(buffer.AsSpan(at, have - at))) > 0)
                {
                    await _credits.WaitAsync(_stop.Token).ConfigureAwait(false);
                    _inbox.Post(this, buffer.AsSpan(at + StreamFrame.HeadBytes, length - StreamFrame.HeadBytes));
                    at += length;
                }
                if (length < 0) return "a frame has a length that none has";
                buffer.AsSpan(at, have - at).CopyTo(buffer);
                have -= at;
            }
        }
        catch (OperationCanceledException) when (!_stop.IsCancellationRequested)
        {
            return $"nothing came for {_silence.TotalSeconds:0} s";
        }
        catch (Exception broken) when (FrameConnection.IsOfTheStream(broken))
        {
            return null;
        }
    }

    private async Task SendAllAsync()
    {
        try
        {
            while (true)
            {
                ReadOnlyMemory<byte> frames = await _buffer.TakeAsync(_onRoom, _stop.Token).ConfigureAwait(false);
                if (frames.IsEmpty) break;
                await _stream.WriteAsync(frames, _stop.Token).ConfigureAwait(false);
            }
            if (_stream is SslStream secured) await secured.ShutdownAsync().ConfigureAwait(false);
            _socket.Shutdown(SocketShutdown.Send);
        }
        catch (Exception broken) when (FrameConnection.IsOfTheStream(broken))
        {
            await _stop.CancelAsync().ConfigureAwait(false);
        }
    }
}
