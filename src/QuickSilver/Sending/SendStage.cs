namespace QuickSilver.Sending;

/// <summary>
/// One group's messages between the threads that send them and the core, in order. Idea: a message that has its own memory, record and place in a
/// queue costs three waits for memory that another processor wrote last; messages one behind the other in a block (<see cref="StageBlock"/>) are read
/// as one stream, and the processor fetches ahead. What is long, or has a ticket, is here as an object in its place.
/// <para>
/// Awkward cases. A producer that was stopped between taking its place and filling it holds up what is behind it (order per producer would break
/// otherwise), but not the core, which sees the stage as empty up to there. A block goes back to the pool when it is read, and may then serve another
/// stage: a producer that still knows it has read its word before, which is no longer the same. A stage that is empty at the end of a turn has no
/// block at all, so ten thousand groups cost what a few of them send. The core waits for the lock of growing, which is held for moments, only when it
/// appends itself, what its handlers send or what waited at the gate, and at the end.
/// </para>
/// Cost: one compare-and-swap a message, a lock a block; allocates nothing in steady state. Any thread may append; the rest is for the core thread.
/// Source: places as in the log buffers of Aeron, blocks as in <see cref="System.Collections.Concurrent.ConcurrentQueue{T}"/>.
/// </summary>
internal sealed class SendStage(StageBlockPool pool)
{
    /// <summary>Longer messages are appended as objects: beyond, a copy costs more than it saves.</summary>
    public const int LongestMessage = 2_048;

    // A few bytes in each of thousands of stages; held for a block's change.
    private SpinLock _growing = new(enableThreadOwnerTracking: false);

    // Written under the lock, but for the core's steps from block to block.
    private StageBlock? _head;
    private StageBlock? _tail;
    private bool _isClosed;

    /// <summary>True when nobody has a place here. The last block is asked for, not the next one: a producer that was stopped while it put a block
    /// behind a full one has not linked the two, and others have places in the new one already.</summary>
    public bool IsEmpty => Volatile.Read(ref _head) is not { } head || (head.IsReadOut && Volatile.Read(ref _tail) == head);

    /// <summary>True when the stage is closed and all that has a place in it has been taken.</summary>
    public bool IsDone => _isClosed && (_head is not { } head || (head.IsReadOut && head.Next is null));

    /// <summary>Appends a message, which is copied. Any thread.</summary>
    /// <param name="message">Of at most <see cref="LongestMessage"/> bytes.</param>
    /// <returns>False when the stage is closed.</returns>
    public bool TryAppend(ReadOnlySpan<byte> message)
    {
        if (Take(message.Length, out long word) is not { } block) return false;
        block.Fill(word, message);
        return true;
    }

    /// <summary>Appends an object. Any thread.</summary>
    /// <returns>False when the stage is closed.</returns>
    public bool TryAppend(object request)
    {
        if (Take(0, out long word) is not { } block) return false;
        block.Fill(word, request);
        return true;
    }

    /// <summary>Shows what comes next.</summary>
    /// <param name="message">The message; valid until <see cref="Advance"/>.</param>
    /// <param name="request">The object, if it is one.</param>
    /// <returns>False when there is nothing, or when it is not complete.</returns>
    public bool TryPeek(out ReadOnlySpan<byte> message, out object? request)
    {
        message = default;
        request = null;
        if (Volatile.Read(ref _head) is not { } head) return false;
        while (!head.TryPeek(out message, out request))
        {
            if (head.Next is not { } next || !head.IsReadOut) return false;
            Volatile.Write(ref _head, next);
            pool.Collect(head);
            head = next;
        }
        return true;
    }

    /// <summary>What was shown last has been taken.</summary>
    public void Advance() => _head!.Advance();

    /// <summary>Gives the last block back if all has been taken from it and nobody is appending.</summary>
    public void ReleaseIfEmpty()
    {
        if (Volatile.Read(ref _head) is not { IsReadOut: true } head) return;
        bool isTaken = false;
        try
        {
            _growing.TryEnter(ref isTaken);
            if (!isTaken || head.Next is not null || !head.TrySeal()) return;
            Volatile.Write(ref _tail, null);
            Volatile.Write(ref _head, null);
        }
        finally
        {
            if (isTaken) _growing.Exit(useMemoryBarrier: false);
        }
        pool.Collect(head);
    }

    /// <summary>Lets nothing more in. What is in it can still be taken.</summary>
    public void Close()
    {
        bool isTaken = false;
        try
        {
            _growing.Enter(ref isTaken);
            _isClosed = true;
            _tail?.Seal();
            Volatile.Write(ref _tail, null);
        }
        finally
        {
            if (isTaken) _growing.Exit(useMemoryBarrier: false);
        }
    }

    // Takes a place; null when the stage is closed.
    private StageBlock? Take(int length, out long word)
    {
        while (true)
        {
            StageBlock? block = Volatile.Read(ref _tail);
            word = 0;
            if (block is not null)
            {
                word = block.Word;
                // Read in this order, the word is of a use of the block in this stage, or too old to be swapped.
                if (Volatile.Read(ref _tail) != block) continue;
                if (StageBlock.HasRoom(word, length))
                {
                    if (block.TryTake(word, length)) return block;
                    continue;
                }
            }
            if (!TryGrow(block, length)) return null;
        }
    }

    // Puts a block behind one that has no room, or where there is none.
    private bool TryGrow(StageBlock? full, int length)
    {
        StageBlock next = pool.Rent();
        bool isTaken = false;
        try
        {
            _growing.Enter(ref isTaken);
            if (_isClosed) return false;
            // Somebody was quicker; or the block has been read out since, and serves this stage once more.
            if (_tail != full || (full is not null && StageBlock.HasRoom(full.Word, length))) return true;
            if (full is null) Volatile.Write(ref _head, next);
            Volatile.Write(ref _tail, next);
            full?.Seal();
            if (full is not null) full.Next = next;
            next = null!;
            return true;
        }
        finally
        {
            if (isTaken) _growing.Exit(useMemoryBarrier: false);
            if (next is not null) pool.Return(next);
        }
    }
}
