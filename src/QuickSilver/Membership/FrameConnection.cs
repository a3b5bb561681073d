using System.Buffers;
using System.Buffers.Binary;
using System.IO.Pipelines;
using System.Net;
using System.Net.Sockets;
using QuickSilver.Protocol.Membership;

namespace QuickSilver.Membership;

/// <summary>
/// Frames over one TCP connection, both ways: four bytes of length, little-endian, then the frame. Sending is for one thread (the core's, or the
/// host's loop): it writes into a pipe that a task empties into the socket, and never waits; who does not take what is sent to it, up to a limit, is
/// cut off. Receiving is a task that hands over whole frames in batches, at most a few of them before the first has been handled, so that memory
/// stays bounded on both sides. A peer can make this side hold no more than one frame's length that it really sent, and all peers of a host together
/// no more than their common limit (<see cref="UnfinishedFrames"/>).
/// </summary>
internal sealed class FrameConnection
{
    private const int BatchesInFlight = 8;
    private const int ReceiveBytes = 1 << 13;
    private static readonly TimeSpan FarewellTime = TimeSpan.FromSeconds(1);

    private readonly Socket _socket;
    private readonly IFrameReceiver _receiver;
    private readonly FrameLimits _limits;
    private readonly Pipe _outbound = new(new PipeOptions(pauseWriterThreshold: 0, resumeWriterThreshold: 0, useSynchronizationContext: false));
    private readonly SemaphoreSlim _credits = new(BatchesInFlight);
    private readonly CancellationTokenSource _cancel = new();
    private readonly CancellationTokenSource _silence = new();
    private long _unsent;
    private int _imposedEnd = -1;
    private bool _isClosing;
    private bool _awaitsLong;

    /// <summary>Takes a connected socket over; nothing happens before <see cref="RunAsync"/>.</summary>
    /// <param name="socket">Belongs to the connection from now on.</param>
    /// <param name="receiver">Takes frames.</param>
    /// <param name="limits">What it bears.</param>
    /// <exception cref="SocketException">The other side has gone already.</exception>
    public FrameConnection(Socket socket, IFrameReceiver receiver, FrameLimits limits)
    {
        _socket = socket;
        _receiver = receiver;
        _limits = limits;
        _socket.NoDelay = true;
        Remote = Describe(socket.RemoteEndPoint);
        RemoteAddress = AddressOf(socket.RemoteEndPoint);
        LocalAddress = AddressOf(socket.LocalEndPoint);
        _silence.Token.UnsafeRegister(static connection => ((FrameConnection)connection!).Abort(FrameEnd.Silent), this);
    }

    /// <summary>The other side, for people.</summary>
    public string Remote { get; }

    /// <summary>The other side's address; null where it has none.</summary>
    public IPAddress? RemoteAddress { get; }

    /// <summary>This side's address; null where it has none.</summary>
    public IPAddress? LocalAddress { get; }

    /// <summary>True once this side has begun to close. Any thread.</summary>
    public bool IsClosing => Volatile.Read(ref _isClosing);

    /// <summary>Bytes sent and not yet taken by the socket. Any thread.</summary>
    public long Unsent => Volatile.Read(ref _unsent);

    /// <summary>Queues a frame; the bytes are copied. Sending thread only. Lost when the connection has ended.</summary>
    public void Send(ReadOnlySpan<byte> frame)
    {
        if (_isClosing || _cancel.IsCancellationRequested) return;
        PipeWriter writer = _outbound.Writer;
        BinaryPrimitives.WriteInt32LittleEndian(writer.GetSpan(FrameBatch.PrefixBytes), frame.Length);
        writer.Advance(FrameBatch.PrefixBytes);
        writer.Write(frame);
        if (Interlocked.Add(ref _unsent, frame.Length + FrameBatch.PrefixBytes) > _limits.MostUnsent)
        {
            Abort(FrameEnd.SlowConsumer);
            return;
        }
        // Without a threshold a flush never waits: it only wakes the sending task, on the pool.
        _ = writer.FlushAsync(CancellationToken.None);
    }

    /// <summary>Ends the connection after what was queued has gone, or after a second. Sending thread only.</summary>
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

    /// <summary>The next frame may be as long as any: the other side has been asked for it. To be called before it is asked. Any thread.</summary>
    public void AwaitLong() => Volatile.Write(ref _awaitsLong, true);

    /// <summary>A batch has been handled: one more may follow. Any thread.</summary>
    public void OnHandled() => _credits.Release();

    /// <summary>Carries frames until the connection ends, then closes the socket. Once. Never throws.</summary>
    public async Task<FrameEnd> RunAsync()
    {
        // Receiving first: a connection that was closed before it ran is shut down by the sending task at once, and a socket that is shut down in one
        // direction takes no stream any more.
        Task<FrameEnd> receiving = ReceiveAllAsync();
        Task sending = SendAllAsync();
        FrameEnd end = await receiving.ConfigureAwait(false);
        await _cancel.CancelAsync().ConfigureAwait(false);
        await sending.ConfigureAwait(false);
        _silence.Dispose();
        _socket.Dispose();
        int imposed = Volatile.Read(ref _imposedEnd);
        return imposed >= 0 ? (FrameEnd)imposed : end;
    }

    private async Task<FrameEnd> ReceiveAllAsync()
    {
        // Thousands of strangers may stand at the port: who has said nothing costs no buffer, who has begun to say something a small one.
        var options = new StreamPipeReaderOptions(bufferSize: ReceiveBytes, useZeroByteReads: true);
        PipeReader reader = PipeReader.Create(new NetworkStream(_socket, ownsSocket: false), options);
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
                FrameEnd? fault = FrameBatch.Measure(result.Buffer, isFirst ? _limits.LongestFirst : longest, longest, out long whole);
                if (whole > 0)
                {
                    isFirst = false;
                    if (mayBeLong) Volatile.Write(ref _awaitsLong, false);
                    await HandOverAsync(result.Buffer.Slice(0, whole)).ConfigureAwait(false);
                }
                if (fault is { } end) return end;
                long left = result.Buffer.Length - whole;
                bool hasRoom = _limits.Unfinished?.TryChange(unfinished, left) ?? true;
                unfinished = left;
                if (!hasRoom) return FrameEnd.NoRoom;
                bool isCut = result.IsCompleted && whole < result.Buffer.Length;
                reader.AdvanceTo(result.Buffer.GetPosition(whole), result.Buffer.End);
                if (result.IsCompleted) return isCut ? FrameEnd.HalfFrame : FrameEnd.Closed;
            }
        }
        catch (Exception broken) when (broken is IOException or SocketException or OperationCanceledException or ObjectDisposedException)
        {
            return IsReset(broken) ? FrameEnd.Reset : FrameEnd.Broken;
        }
        finally
        {
            _limits.Unfinished?.TryChange(unfinished, 0);
            await reader.CompleteAsync().ConfigureAwait(false);
        }
    }

    private static bool IsReset(Exception broken) =>
        (broken as SocketException ?? broken.InnerException as SocketException) is { SocketErrorCode: SocketError.ConnectionReset or SocketError.Shutdown };

    // After Close nobody listens, but what comes is still read, so that the other side gets to read what it was sent.
    private async ValueTask HandOverAsync(ReadOnlySequence<byte> frames)
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
            // The other side may still be sending: closing at once could reset the connection and take the last frame with it.
            _socket.Shutdown(SocketShutdown.Send);
        }
        catch (Exception broken) when (broken is SocketException or OperationCanceledException or ObjectDisposedException)
        {
            if (IsReset(broken)) Interlocked.CompareExchange(ref _imposedEnd, (int)FrameEnd.Reset, -1);
            await _cancel.CancelAsync().ConfigureAwait(false);
        }
        finally
        {
            await reader.CompleteAsync().ConfigureAwait(false);
        }
    }

    // A socket for both versions of IP shows an IPv4 address as ::ffff:10.0.0.5, which nobody has typed.
    private static string Describe(EndPoint? remote) => remote switch
    {
        IPEndPoint { Address.IsIPv4MappedToIPv6: true } mapped => new IPEndPoint(mapped.Address.MapToIPv4(), mapped.Port).ToString(),
        _ => remote?.ToString() ?? "",
    };

    private static IPAddress? AddressOf(EndPoint? end) =>
        end is not IPEndPoint { Address: var address } ? null : address.IsIPv4MappedToIPv6 ? address.MapToIPv4() : address;

    private async ValueTask SendAsync(ReadOnlyMemory<byte> bytes)
    {
        while (!bytes.IsEmpty)
        {
            int sent = await _socket.SendAsync(bytes, SocketFlags.None, _cancel.Token).ConfigureAwait(false);
            Interlocked.Add(ref _unsent, -sent);
            bytes = bytes[sent..];
        }
    }
}
