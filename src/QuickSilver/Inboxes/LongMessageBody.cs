using System.Buffers;
using System.IO.Pipelines;
using System.Runtime.CompilerServices;
using QuickSilver.Protocol.Delivery;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Membership;

namespace QuickSilver.Inboxes;

/// <summary>
/// The content of one long message between the core and its reader.
/// <para>
/// Idea: a <see cref="Pipe"/> holds the bytes. It never holds up the core: a message with too many unread bytes fails
/// instead. The reader's calls pass through here, so that unread bytes are counted, and a failure is what the reader
/// sees from then on.
/// </para>
/// <para>
/// Awkward case: the memory of a failed message returns at once, unless the reader holds a result. Then it returns with
/// the reader's next call.
/// </para>
/// The core calls the sink's members, one reader the members of <see cref="PipeReader"/>; the rest is for any thread.
/// </summary>
internal sealed class LongMessageBody : PipeReader
{
    private const int SegmentBytes = 32 << 10;

    private static readonly PipeOptions Unpaused = new(
        pauseWriterThreshold: 0, minimumSegmentSize: SegmentBytes, useSynchronizationContext: false,
        writerScheduler: PipeScheduler.Inline);

    private readonly LongMessageInbox _inbox;
    private readonly NodeInfo _sender;
    private readonly Link _link;
    private readonly Lock _lock = new();
    private readonly Pipe _pipe = new(Unpaused);
    private ReadOnlySequence<byte> _shown;
    private Exception? _failure;
    private long _unread;
    private bool _isReading;
    private bool _isComplete;
    private bool _isReadOut;
    private bool _isCharged = true;

    /// <summary>Makes the content of a long message that begins.</summary>
    /// <param name="inbox">The inbox of the handle.</param>
    /// <param name="sender">The sender.</param>
    public LongMessageBody(LongMessageInbox inbox, NodeInfo sender)
    {
        _inbox = inbox;
        _sender = sender;
        _link = new Link { Body = this };
    }

    /// <summary>Where the core delivers the content. The core keeps it to the end of the message, and by it holds
    /// nothing of a message that is read out, or whose handle has ended.</summary>
    public ILongMessageSink Sink => _link;

    /// <summary>Bytes that the reader has not consumed.</summary>
    public long Unread => Volatile.Read(ref _unread);

    /// <summary>Fails the message because its reader is too slow. Core thread only.</summary>
    /// <param name="limit">The limit, in words.</param>
    public void Overflow(string limit)
    {
        long unread = Unread;
        bool isNews = Fail(new SlowConsumerException(
            ErrorCode.SlowConsumer,
            $"The reader of a long message of '{_inbox.Owner.Name}' from {_sender.Name} is too slow: {unread} bytes "
            + $"were unread, and the limit is {limit}. The rest of the message is dropped; the group and other "
            + "messages go on. Read quicker, allow more, or let the sender wait for its receivers.")
        {
            GroupName = _inbox.Owner.Name,
            Backlog = 1,
        });
        if (isNews) _inbox.Owner.OnDropped(_sender, LossReason.Overflow);
    }

    /// <summary>Ends the message with an error, unless it is complete or has failed.</summary>
    /// <returns>True when this call ended it.</returns>
    public bool Fail(Exception failure)
    {
        lock (_lock)
        {
            if (_failure is not null || _isComplete || _isReadOut) return false;
            _failure = failure;
            _pipe.Writer.Complete(failure);
            if (!_isReading) Free();
        }
        return true;
    }

    /// <summary>The handle has ended: what is unread counts no longer.</summary>
    public void LetGo()
    {
        _link.Body = null;
        lock (_lock) Uncharge();
    }

    /// <inheritdoc/>
    public override bool TryRead(out ReadResult result)
    {
        BeginRead();
        try
        {
            if (_pipe.Reader.TryRead(out result))
            {
                _shown = result.Buffer;
                return true;
            }
        }
        catch
        {
            EndRead();
            throw;
        }
        EndRead();
        return false;
    }

    /// <inheritdoc/>
    public override ValueTask<ReadResult> ReadAsync(CancellationToken cancellationToken = default)
    {
        if (!cancellationToken.IsCancellationRequested && TryRead(out ReadResult result)) return new(result);
        return WaitAsync(cancellationToken);
    }

    /// <inheritdoc/>
    public override void AdvanceTo(SequencePosition consumed) => AdvanceTo(consumed, consumed);

    /// <inheritdoc/>
    public override void AdvanceTo(SequencePosition consumed, SequencePosition examined)
    {
        lock (_lock)
        {
            // After a failure the result is the last: its memory returns now.
            if (_failure is null)
            {
                long bytes = _shown.IsEmpty ? 0 : _shown.Slice(_shown.Start, consumed).Length;
                _pipe.Reader.AdvanceTo(consumed, examined);
                _unread -= bytes;
                if (_isCharged) _inbox.Budget.Release(bytes);
                ForgetIfReadOut();
            }
            _shown = default;
        }
        EndRead();
    }

    /// <inheritdoc/>
    public override void CancelPendingRead() => _pipe.Reader.CancelPendingRead();

    /// <inheritdoc/>
    public override void Complete(Exception? exception = null)
    {
        lock (_lock)
        {
            _isReading = false;
            Free();
        }
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    private async ValueTask<ReadResult> WaitAsync(CancellationToken cancellationToken)
    {
        BeginRead();
        try
        {
            ReadResult result = await _pipe.Reader.ReadAsync(cancellationToken).ConfigureAwait(false);
            _shown = result.Buffer;
            return result;
        }
        catch
        {
            EndRead();
            throw;
        }
    }

    private bool OnBytes(in Slice bytes)
    {
        bool isFull;
        lock (_lock)
        {
            if (_failure is not null || _isReadOut) return false;
            isFull = _unread > 0 && _unread + bytes.Length > _inbox.MaxUnread;
            if (!isFull && !TryStore(bytes.Span)) return false;
        }
        if (isFull)
        {
            Overflow($"LongMessageMaxUnreadBytes ({_inbox.MaxUnread})");
            return false;
        }
        _inbox.Budget.Charge(bytes.Length);
        return _failure is null;
    }

    private void OnEnded(LongMessageEnd end)
    {
        switch (end)
        {
            case LongMessageEnd.Complete:
                Complete();
                break;
            case LongMessageEnd.GivenUp:
                Fail(new QuickSilverException(
                    ErrorCode.LongMessageGivenUp,
                    $"{_sender.Name} gave up a long message of '{_inbox.Owner.Name}' before its end: its writer was "
                    + "completed with an exception, or its handle has ended."));
                break;
            case LongMessageEnd.Left:
                Fail(new ObjectDisposedException(
                    nameof(Group), $"'{_inbox.Owner.Name}' was left before the end of the long message."));
                break;
            default:
                Fail(new QuickSilverException(
                    ErrorCode.LongMessageIncomplete,
                    $"{_sender.Name} has left '{_inbox.Owner.Name}' or the cluster, or has failed, and the end of its "
                    + "long message will never arrive."));
                break;
        }
    }

    private void Complete()
    {
        lock (_lock)
        {
            if (_failure is not null || _isReadOut) return;
            _isComplete = true;
            _pipe.Writer.Complete();
            ForgetIfReadOut();
        }
    }

    private bool TryStore(ReadOnlySpan<byte> bytes)
    {
        try
        {
            _pipe.Writer.Write(bytes);
        }
        catch (OutOfMemoryException fault)
        {
            Fail(new QuickSilverException(
                ErrorCode.OutOfMemory,
                $"There was no memory for a long message of '{_inbox.Owner.Name}' from {_sender.Name}: read quicker, "
                + "or lower LongMessageMaxUnreadBytes.",
                fault));
            return false;
        }
        _unread += bytes.Length;
        // Completes at once, because nothing pauses the pipe; the reader continues on the thread pool.
        _ = _pipe.Writer.FlushAsync().GetAwaiter().GetResult();
        return true;
    }

    private void BeginRead()
    {
        lock (_lock)
        {
            if (_failure is { } failure)
            {
                Free();
                System.Runtime.ExceptionServices.ExceptionDispatchInfo.Throw(failure);
            }
            _isReading = true;
        }
    }

    private void EndRead()
    {
        lock (_lock)
        {
            _isReading = false;
            if (_failure is not null) Free();
        }
    }

    // A reader that has all bytes, and was not completed, is the application's alone: nothing of it can fail or count.
    private void ForgetIfReadOut()
    {
        if (_isComplete && _unread == 0) _inbox.Forget(this);
    }

    // Nothing is read any more, and all memory returns.
    private void Free()
    {
        if (_isReadOut) return;
        _isReadOut = true;
        _link.Body = null;
        _pipe.Reader.Complete();
        if (_isCharged) _inbox.Budget.Release(_unread);
        _isCharged = false;
        _unread = 0;
        _inbox.Forget(this);
    }

    private void Uncharge()
    {
        if (!_isCharged) return;
        _isCharged = false;
        _inbox.Budget.Release(_unread);
        _inbox.Budget.Remove(this);
    }

    private sealed class Link : ILongMessageSink
    {
        private LongMessageBody? _body;

        public LongMessageBody? Body
        {
            get => Volatile.Read(ref _body);
            set => Volatile.Write(ref _body, value);
        }

        public bool OnBytes(in Slice bytes) => Body is { } body && body.OnBytes(bytes);

        public void OnEnded(LongMessageEnd end) => Body?.OnEnded(end);
    }
}
