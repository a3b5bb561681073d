namespace QuickSilver.Sending;

/// <summary>
/// One group's messages between the sending threads and the core, in order.
/// <para>
/// Idea: a message with its own memory, record and queue entry costs three cache misses on memory that another
/// processor wrote last. Messages stored consecutively in a block (<see cref="StageBlock"/>) are read as one stream,
/// which the processor prefetches. A long message, or one with a ticket, has an object in its place.
/// </para>
/// <para>
/// Awkward cases. A producer that is preempted between taking a place and filling it delays the messages behind it,
/// since the order per producer must hold. The core does not wait: the stage appears empty from that place on. A block
/// returns to the pool once it is read, and may then serve another stage. A producer that still refers to it fails its
/// swap, because the block's word has changed. A stage that is empty at the end of a turn holds no block, so the cost
/// of ten thousand groups depends on the active few. The core takes the short growth lock only when it closes the
/// stage, or when it appends itself: sends of its handlers, and waiters of the gate.
/// </para>
/// Cost: one compare-and-swap per message, one lock per block; allocates nothing in steady state. Any thread may
/// append; all else is for the core thread. Source: places as in the log buffers of Aeron, blocks as in
/// <see cref="System.Collections.Concurrent.ConcurrentQueue{T}"/>.
/// </summary>
internal sealed class SendStage(StageBlockPool pool)
{
    /// <summary>Longest message that is copied into a block. Longer ones are appended as objects: the copy costs more
    /// than it saves.</summary>
    public const int LongestMessage = 2_048;

    // Small, because there are thousands of stages. Held while a block is linked or removed.
    private SpinLock _growing = new(enableThreadOwnerTracking: false);

    // Written under the lock, except when the core moves from block to block.
    private StageBlock? _head;
    private StageBlock? _tail;
    private bool _isClosed;

    /// <summary>Whether every taken place has been read. Checks the last block, not the head's successor: a producer
    /// that was preempted while growing has not linked the two, and the new block may already have taken
    /// places.</summary>
    public bool IsEmpty =>
        Volatile.Read(ref _head) is not { } head || (head.IsReadOut && Volatile.Read(ref _tail) == head);

    /// <summary>Whether the stage is closed and every taken place has been read.</summary>
    public bool IsDone => _isClosed && (_head is not { } head || (head.IsReadOut && head.Next is null));

    /// <summary>Appends a copy of a message. Any thread.</summary>
    /// <param name="message">The message, at most <see cref="LongestMessage"/> bytes.</param>
    /// <returns>False if the stage is closed.</returns>
    public bool TryAppend(ReadOnlySpan<byte> message)
    {
        if (Take(message.Length, out long word) is not { } block) return false;
        block.Fill(word, message);
        return true;
    }

    /// <summary>Appends an object. Any thread.</summary>
    /// <returns>False if the stage is closed.</returns>
    public bool TryAppend(object request)
    {
        if (Take(0, out long word) is not { } block) return false;
        block.Fill(word, request);
        return true;
    }

    /// <summary>Reads the next entry without removing it.</summary>
    /// <param name="message">The message; valid until <see cref="Advance"/>.</param>
    /// <param name="request">The object, if the entry is one.</param>
    /// <returns>False if there is no entry, or if the next one is incomplete.</returns>
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

    /// <summary>Removes the entry that was read last.</summary>
    public void Advance() => _head!.Advance();

    /// <summary>Returns the last block to the pool if it is read out and no producer is appending.</summary>
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

    /// <summary>Refuses further entries. Stored ones can still be read.</summary>
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

    // Takes a place; null if the stage is closed.
    private StageBlock? Take(int length, out long word)
    {
        while (true)
        {
            StageBlock? block = Volatile.Read(ref _tail);
            word = 0;
            if (block is not null)
            {
                word = block.Word;
                // Read in this order, the word is from the block's use in this stage, or too old for the swap to
                // succeed.
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

    // Adds a block behind a full one, or the first block.
    private bool TryGrow(StageBlock? full, int length)
    {
        StageBlock next = pool.Rent();
        bool isTaken = false;
        try
        {
            _growing.Enter(ref isTaken);
            if (_isClosed) return false;
            // Another producer was faster, or the block was read out meanwhile and serves this stage again.
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
