using System.Buffers;
using System.Buffers.Binary;
using System.ComponentModel;
using System.IO.Pipelines;
using System.Net;
using System.Net.Security;
using System.Net.Sockets;
using System.Security.Authentication;
using System.Security.Cryptography;
using QuickSilver.Protocol.Membership.Frames;
using QuickSilver.Security;

namespace QuickSilver.Membership;

/// <summary>
/// Carries frames over one TCP connection, encrypted or not, in both directions: four bytes of length, little-endian,
/// then the frame. One thread sends (the core's, or the host's loop). It writes into a pipe that a task empties into
/// the stream, and never waits. A peer that does not read is disconnected when a limit of unsent bytes is reached. A
/// task receives, and passes whole frames on in batches, with at most a few batches unhandled. Memory is thus bounded
/// in both directions. A peer makes this side hold at most one frame, and only the bytes that it really sent. All peers
/// of a host share a common limit (<see cref="UnfinishedFrames"/>).
/// </summary>
internal sealed class FrameConnection
{
    private const int BatchesInFlight = 8;
    private const int ReceiveBytes = 1 << 13;
    private static readonly TimeSpan FarewellTime = TimeSpan.FromSeconds(1);

    private readonly Socket _socket;
    private readonly IFrameReceiver _receiver;
    private readonly FrameLimits _limits;
    private readonly Pipe _outbound =
        new(new PipeOptions(pauseWriterThreshold: 0, resumeWriterThreshold: 0, useSynchronizationContext: false));
    private readonly SemaphoreSlim _credits = new(BatchesInFlight);
    private readonly CancellationTokenSource _cancel = new();
    private readonly CancellationTokenSource _silence = new();
    private long _unsent;
    private Stream _stream;
    private int _imposedEnd = -1;
    private bool _isClosing;
    private bool _isSecured;
    private bool _awaitsLong;

    /// <summary>Takes ownership of a connected socket; nothing happens before <see cref="RunAsync"/>.</summary>
    /// <param name="socket">The socket; the connection disposes of it.</param>
    /// <param name="receiver">Receives the frames.</param>
    /// <param name="limits">The limits on frame lengths, unsent bytes and silence.</param>
    /// <param name="stream">The secured stream over the socket, which the connection disposes of; null for the socket
    /// itself.</param>
    /// <exception cref="SocketException">The other side has closed the connection already.</exception>
    public FrameConnection(Socket socket, IFrameReceiver receiver, FrameLimits limits, Stream? stream = null)
    {
        _socket = socket;
        _stream = stream ?? Stream.Null;
        _isSecured = stream is not null;
        _receiver = receiver;
        _limits = limits;
        _socket.NoDelay = true;
        Remote = Describe(socket.RemoteEndPoint);
        RemoteAddress = AddressOf(socket.RemoteEndPoint);
        LocalAddress = AddressOf(socket.LocalEndPoint);
        _silence.Token.UnsafeRegister(static connection => ((FrameConnection)connection!).Abort(FrameEnd.Silent), this);
    }

    /// <summary>The other side's endpoint, for diagnostics.</summary>
    public string Remote { get; }

    /// <summary>The other side's address; null where it has none.</summary>
    public IPAddress? RemoteAddress { get; }

    /// <summary>This side's address; null where it has none.</summary>
    public IPAddress? LocalAddress { get; }

    /// <summary>Why the two sides did not trust each other; null while they do. Valid when <see cref="RunAsync"/> has
    /// returned.</summary>
    public HandshakeException? Refusal { get; private set; }

    /// <summary>True once this side has begun to close. Any thread.</summary>
    public bool IsClosing => Volatile.Read(ref _isClosing);

    /// <summary>Queued bytes that the socket has not taken yet. Any thread.</summary>
    public long Unsent => Volatile.Read(ref _unsent);

    /// <summary>Queues a copy of a frame. Sending thread only. The frame is lost when the connection has
    /// ended.</summary>
    public void Send(ReadOnlySpan<byte> frame)
    {
        if (_isClosing || _cancel.IsCancellationRequested) return;
        PipeWriter writer = _outbound.Writer;
        BinaryPrimitives.WriteInt32LittleEndian(writer.GetSpan(FrameBatch.PrefixBytes), frame.Length);
        writer.Advance(FrameBatch.PrefixBytes);
        writer.Write(frame);
        if (Interlocked.Add(ref _unsent, frame.Length + FrameBatch.PrefixBytes) > _limits.MaxUnsentBytes)
        {
            Abort(FrameEnd.SlowConsumer);
            return;
        }
        // Without a threshold a flush never waits: it only wakes the sending task, on the thread pool.
        _ = writer.FlushAsync(CancellationToken.None);
    }

    /// <summary>Ends the connection when the queued frames are sent, or after a second. Sending thread only.</summary>
    public void Close()
    {
        if (_isClosing) return;
        Volatile.Write(ref _isClosing, true);
        Interlocked.CompareExchange(ref _imposedEnd, (int)FrameEnd.Stopped, -1);
        _outbound.Writer.Complete();
        _cancel.CancelAfter(FarewellTime);
    }

    /// <summary>Ends the connection now. Any thread.</summary>
    public void Abort(FrameEnd reason)
    {
        Interlocked.CompareExchange(ref _imposedEnd, (int)reason, -1);
        _ = _cancel.CancelAsync();
    }

    /// <summary>Permits the next frame to have the maximum length. Call it before the request for that frame. Any
    /// thread.</summary>
    public void AwaitLong() => Volatile.Write(ref _awaitsLong, true);

    /// <summary>Notes that a batch has been handled, so that another may follow. Any thread.</summary>
    public void OnHandled() => _credits.Release();

    /// <summary>Carries frames until the connection ends, then closes the socket. Call once. Never throws.</summary>
    /// <param name="secure">Secures the connection first; null for a connection that is secured already, or not at
    /// all.</param>
    public async Task<FrameEnd> RunAsync(Func<Socket, CancellationToken, Task<Stream>>? secure = null)
    {
        FrameEnd? failure = await TryOpenAsync(secure).ConfigureAwait(false);
        if (failure is { } early) return await EndAsync(early).ConfigureAwait(false);

        // Receiving starts first: the sending task at once shuts down a connection that was closed before it ran. No
        // stream can be opened on a socket that is shut down in one direction.
        Task<FrameEnd> receiving = ReceiveAllAsync();
        Task sending = SendAllAsync();
        FrameEnd end = await receiving.ConfigureAwait(false);
        await _cancel.CancelAsync().ConfigureAwait(false);
        await sending.ConfigureAwait(false);
        return await EndAsync(end).ConfigureAwait(false);
    }

    private async ValueTask<FrameEnd?> TryOpenAsync(Func<Socket, CancellationToken, Task<Stream>>? secure)
    {
        try
        {
            if (secure is not null)
            {
                _stream = await secure(_socket, _cancel.Token).ConfigureAwait(false);
                _isSecured = true;
            }
            else if (!_isSecured) _stream = new NetworkStream(_socket, ownsSocket: false);
            return null;
        }
        catch (HandshakeException refusal)
        {
            Refusal = refusal;
            return FrameEnd.Unauthenticated;
        }
        catch (Exception broken) when (IsOfTheStream(broken))
        {
            return FrameEnd.Broken;
        }
    }

    private async ValueTask<FrameEnd> EndAsync(FrameEnd end)
    {
        _silence.Dispose();
        await _stream.DisposeAsync().ConfigureAwait(false);
        _socket.Dispose();
        int imposed = Volatile.Read(ref _imposedEnd);
        return imposed >= 0 ? (FrameEnd)imposed : end;
    }

    private async Task<FrameEnd> ReceiveAllAsync()
    {
        // Thousands of unidentified peers may connect: an idle one costs no buffer, one that has begun a frame costs a
        // small one.
        var options = new StreamPipeReaderOptions(bufferSize: ReceiveBytes, useZeroByteReads: true);
        PipeReader reader = PipeReader.Create(_stream, options);
        bool isFirst = true;
        long unfinished = 0;
        try
        {
            while (true)
            {
                _silence.CancelAfter(_limits.Silence);
                ReadResult result = await reader.ReadAsync(_cancel.Token).ConfigureAwait(false);
                _silence.CancelAfter(Timeout.InfiniteTimeSpan);
                bool mayBeLong = Volatile.Read(ref _awaitsLong);
                int longest = mayBeLong ? MembershipFrames.MaxFrameBytes : _limits.Longest;
                if (isFirst && await IsSecurityDemandedAsync(result.Buffer).ConfigureAwait(false))
                    return FrameEnd.Secured;
                FrameEnd? fault = FrameBatch.Measure(
                    result.Buffer, isFirst ? _limits.LongestFirst : longest, longest, out long whole);
                if (whole > 0)
                {
                    isFirst = false;
                    if (mayBeLong) Volatile.Write(ref _awaitsLong, false);
                    await DeliverAsync(result.Buffer.Slice(0, whole)).ConfigureAwait(false);
                }
                if (fault is { } end) return end;
                long remaining = result.Buffer.Length - whole;
                bool hasRoom = _limits.Unfinished?.TryChange(unfinished, remaining) ?? true;
                unfinished = remaining;
                if (!hasRoom) return FrameEnd.NoRoom;
                bool isCut = result.IsCompleted && whole < result.Buffer.Length;
                reader.AdvanceTo(result.Buffer.GetPosition(whole), result.Buffer.End);
                if (result.IsCompleted) return isCut ? FrameEnd.HalfFrame : FrameEnd.Closed;
            }
        }
        catch (Exception broken) when (IsOfTheStream(broken))
        {
            return IsReset(broken) ? FrameEnd.Reset : FrameEnd.Broken;
        }
        finally
        {
            _limits.Unfinished?.TryChange(unfinished, 0);
            await reader.CompleteAsync().ConfigureAwait(false);
        }
    }

    // The other side is told that this one has no security, and says so at its end.
    private async ValueTask<bool> IsSecurityDemandedAsync(ReadOnlySequence<byte> received)
    {
        if (_isSecured || !Preface.IsBegun(received.FirstSpan)) return false;
        await _stream.WriteAsync(Preface.Of(SecurityMode.None), _cancel.Token).ConfigureAwait(false);
        return true;
    }

    // What a stream throws when its connection breaks, TLS included. The framework lets errors of its TLS libraries
    // through as they are, when the other side breaks the connection off while this side ends it in order.
    internal static bool IsOfTheStream(Exception broken) => broken is IOException or OperationCanceledException
        or InvalidOperationException or Win32Exception or AuthenticationException or CryptographicException;

    private static bool IsReset(Exception broken) =>
        (broken as SocketException ?? broken.InnerException as SocketException) is
        {
            SocketErrorCode: SocketError.ConnectionReset or SocketError.Shutdown,
        };

    // After Close frames are dropped, but still read, so that the other side can read the last frames sent to it.
    private async ValueTask DeliverAsync(ReadOnlySequence<byte> frames)
    {
        if (IsClosing) return;
        await _credits.WaitAsync(_cancel.Token).ConfigureAwait(false);
        _receiver.OnFrames(this, FrameBatch.Copy(frames));
    }

    private async Task SendAllAsync()
    {
        PipeReader reader = _outbound.Reader;
        try
        {
            ReadResult result;
            do
            {
                result = await reader.ReadAsync(_cancel.Token).ConfigureAwait(false);
                foreach (ReadOnlyMemory<byte> segment in result.Buffer) await SendAsync(segment).ConfigureAwait(false);
                reader.AdvanceTo(result.Buffer.End);
            }
            while (!result.IsCompleted);
            // The other side may still be sending: closing at once could reset the connection, and lose the last frame.
            if (_stream is SslStream secured) await secured.ShutdownAsync().ConfigureAwait(false);
            _socket.Shutdown(SocketShutdown.Send);
        }
        catch (Exception broken) when (IsOfTheStream(broken))
        {
            if (IsReset(broken)) Interlocked.CompareExchange(ref _imposedEnd, (int)FrameEnd.Reset, -1);
            await _cancel.CancelAsync().ConfigureAwait(false);
        }
        finally
        {
            await reader.CompleteAsync().ConfigureAwait(false);
        }
    }

    // A socket for both versions of IP shows an IPv4 address as ::ffff:10.0.0.5, which no user has configured.
    private static string Describe(EndPoint? remote) => remote switch
    {
        IPEndPoint { Address.IsIPv4MappedToIPv6: true } mapped =>
            new IPEndPoint(mapped.Address.MapToIPv4(), mapped.Port).ToString(),
        _ => remote?.ToString() ?? "",
    };

    private static IPAddress? AddressOf(EndPoint? end) =>
        end is not IPEndPoint { Address: var address } ? null
        : address.IsIPv4MappedToIPv6 ? address.MapToIPv4()
        : address;

    private async ValueTask SendAsync(ReadOnlyMemory<byte> bytes)
    {
        await _stream.WriteAsync(bytes, _cancel.Token).ConfigureAwait(false);
        Interlocked.Add(ref _unsent, -bytes.Length);
    }
}
