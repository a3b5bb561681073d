using System.Buffers;
using System.IO.Pipelines;
using QuickSilver.Protocol.Wire;
using QuickSilver.Sending;

namespace QuickSilver.Runtime;

/// <summary>
/// The writer of one long message: cuts what is written into pieces, and sends these as messages of the group.
/// <para>
/// Idea: a piece waits at the gate of sends as any message does. So a long message takes its turn among the group's
/// messages, is paced by the limits of pending and by the window, and occupies no more memory than what is flushed at
/// once.
/// </para>
/// <para>
/// Awkward cases. A flush that is cancelled or held up leaves the rest with the writer; the next flush continues. A
/// handle that ends gives the message up on the core thread. A piece may enter at that very moment, behind that word:
/// so the writer looks at the handle after each piece, and has the word repeated.
/// </para>
/// One thread at a time, as any <see cref="PipeWriter"/>; <see cref="CancelPendingFlush"/> and
/// <see cref="GiveUpFromCore"/> excepted.
/// </summary>
/// <param name="handle">The handle on the group.</param>
/// <param name="id">Names the message among those of the node.</param>
internal sealed class LongMessageWriter(GroupHandle handle, ulong id) : PipeWriter
{
    /// <summary>Bytes of a piece, its head included: a size of pooled memory.</summary>
    public const int PieceBytes = 32 << 10;

    private const int ContentBytes = PieceBytes - MessagePiece.MaxHeadLength;

    private static readonly PipeOptions Unpaused = new(
        pauseWriterThreshold: 0, minimumSegmentSize: PieceBytes, useSynchronizationContext: false);

    private readonly Pipe _written = new(Unpaused);
    private readonly Lock _lock = new();
    private CancellationTokenSource _cancellation = new();
    private ulong _sent;
    private bool _hasBegun;
    private bool _isCompleted;

    /// <inheritdoc/>
    public override bool CanGetUnflushedBytes => true;

    /// <inheritdoc/>
    public override long UnflushedBytes => _written.Writer.UnflushedBytes;

    // A caller that fills what it is given, and flushes, sends whole pieces.
    private int RoomInPiece => ContentBytes - (int)(UnflushedBytes % ContentBytes);

    /// <inheritdoc/>
    public override Memory<byte> GetMemory(int sizeHint = 0)
    {
        Memory<byte> memory = _written.Writer.GetMemory(sizeHint);
        return memory[..Math.Min(memory.Length, Math.Max(sizeHint, RoomInPiece))];
    }

    /// <inheritdoc/>
    public override Span<byte> GetSpan(int sizeHint = 0) => GetMemory(sizeHint).Span;

    /// <inheritdoc/>
    public override void Advance(int bytes) => _written.Writer.Advance(bytes);

    /// <inheritdoc/>
    public override ValueTask<FlushResult> FlushAsync(CancellationToken cancellationToken = default) =>
        WriteAsync(default, cancellationToken);

    /// <inheritdoc/>
    public override async ValueTask<FlushResult> WriteAsync(
        ReadOnlyMemory<byte> source, CancellationToken cancellationToken = default)
    {
        if (_isCompleted) throw new InvalidOperationException("The writer of the long message has been completed.");
        CancellationToken token = _cancellation.Token;
        using CancellationTokenSource? linked = cancellationToken.CanBeCanceled
            ? CancellationTokenSource.CreateLinkedTokenSource(token, cancellationToken)
            : null;
        token = linked?.Token ?? token;
        try
        {
            await SendWrittenAsync(token).ConfigureAwait(false);
            while (!source.IsEmpty)
            {
                ReadOnlyMemory<byte> next = source[..Math.Min(ContentBytes, source.Length)];
                await SendAsync(new ReadOnlySequence<byte>(next), isLast: false, token).ConfigureAwait(false);
                source = source[next.Length..];
            }
        }
        catch (OperationCanceledException) when (token.IsCancellationRequested)
        {
            // What was not sent goes with the next flush.
            if (!source.IsEmpty) _written.Writer.Write(source.Span);
            cancellationToken.ThrowIfCancellationRequested();
            lock (_lock) _cancellation = new CancellationTokenSource();
            return new FlushResult(isCanceled: true, isCompleted: false);
        }
        catch (SendHeldUpException)
        {
            if (!source.IsEmpty) _written.Writer.Write(source.Span);
            throw;
        }
        return new FlushResult(isCanceled: false, isCompleted: false);
    }

    /// <inheritdoc/>
    public override void CancelPendingFlush()
    {
        lock (_lock) _cancellation.Cancel();
    }

    /// <inheritdoc/>
    public override void Complete(Exception? exception = null)
    {
        Task task = CompleteAsync(exception).AsTask();
        // A caller that needs the outcome awaits CompleteAsync.
        if (!task.IsCompletedSuccessfully)
            task.ContinueWith(static done => _ = done.Exception, TaskScheduler.Default);
    }

    /// <inheritdoc/>
    public override async ValueTask CompleteAsync(Exception? exception = null)
    {
        if (_isCompleted) return;
        _isCompleted = true;
        try
        {
            if (exception is not null)
            {
                // A handle that has ended has given the message up.
                if (_hasBegun && !handle.HasEnded)
                    await EnterAsync(GivenUp(), CancellationToken.None).ConfigureAwait(false);
                return;
            }
            await SendWrittenAsync(CancellationToken.None).ConfigureAwait(false);
            await SendAsync(default, isLast: true, CancellationToken.None).ConfigureAwait(false);
        }
        catch when (_hasBegun && !handle.HasEnded)
        {
            // Nobody will send the rest (no memory, or a wait on the core thread): the receivers must not wait for it.
            handle.Services.TryPost(_ => GiveUpFromCore(handle.Core!));
            throw;
        }
        finally
        {
            handle.Remove(this);
            _written.Writer.Complete();
            _written.Reader.Complete();
        }
    }

    /// <summary>Tells the receivers that nothing follows: the handle ends. Core thread only.</summary>
    public void GiveUpFromCore(GroupCore core) => core.SendNow(GivenUp());

    private async ValueTask SendWrittenAsync(CancellationToken cancellationToken)
    {
        await _written.Writer.FlushAsync(CancellationToken.None).ConfigureAwait(false);
        if (!_written.Reader.TryRead(out ReadResult result)) return;
        ReadOnlySequence<byte> rest = result.Buffer;
        try
        {
            while (!rest.IsEmpty)
            {
                ReadOnlySequence<byte> next = rest.Slice(0, Math.Min(ContentBytes, rest.Length));
                await SendAsync(next, isLast: false, cancellationToken).ConfigureAwait(false);
                rest = rest.Slice(next.End);
            }
        }
        finally
        {
            _written.Reader.AdvanceTo(rest.Start);
        }
    }

    private async ValueTask SendAsync(
        ReadOnlySequence<byte> content, bool isLast, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        if (!_hasBegun) handle.Add(this);
        await EnterAsync(Piece(content, isLast), cancellationToken).ConfigureAwait(false);
        _hasBegun = true;
        _sent += (ulong)content.Length;
        if (!handle.HasEnded) return;
        // The piece may have entered behind the one that gave the message up.
        handle.Services.TryPost(_ => GiveUpFromCore(handle.Core!));
        throw handle.EndException();
    }

    private ValueTask EnterAsync(PooledPayload piece, CancellationToken cancellationToken)
    {
        if (!handle.HasEnded) return handle.Core!.EnterAsync(handle, piece, cancellationToken);
        piece.Return();
        throw handle.EndException();
    }

    private PooledPayload Piece(ReadOnlySequence<byte> content, bool isLast)
    {
        PooledPayload piece = handle.Services.SendBuffers.Rent(MessagePiece.MaxHeadLength + (int)content.Length);
        var writer = new WireWriter(piece.Array);
        MessagePiece.WriteHead(ref writer, id, _sent, isFirst: !_hasBegun, isLast, handle.IsPublisher);
        content.CopyTo(piece.Array.AsSpan(writer.Written));
        piece.Length = writer.Written + (int)content.Length;
        piece.IsPiece = true;
        return piece;
    }

    private PooledPayload GivenUp()
    {
        PooledPayload piece = handle.Services.SendBuffers.Rent(MessagePiece.MaxHeadLength);
        var writer = new WireWriter(piece.Array);
        MessagePiece.WriteGivenUp(ref writer, id, Volatile.Read(ref _sent));
        piece.Length = writer.Written;
        piece.IsPiece = true;
        return piece;
    }
}
