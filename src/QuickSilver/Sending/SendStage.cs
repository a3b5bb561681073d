namespace QuickSilver.Sending;

/// <summary>
/// The messages of groups that go the same way, between the sending threads and the core, in order.
/// <para>
/// Idea: a message with its own memory, record and queue entry costs three cache misses on memory that another
/// processor wrote last. Messages stored consecutively in a block (<see cref="StageBlock"/>) are read as one stream,
/// which the processor prefetches. This holds for any number of groups, because all share one stage. A long message, or
/// one with a ticket, has an object in its place.
/// </para>
/// <para>
/// Awkward cases. A producer that is preempted between taking a place and filling it delays the messages behind it,
/// since the order per producer must hold. The core does not wait: the stage appears empty from that place on. A block
/// returns to the pool once it is read, and may then serve another stage. A producer that still refers to it fails its
/// swap, because the block's word has changed. A stage that is empty at the end of a turn holds no block.
/// </para>
/// <para>
/// The core takes messages of a group together, though they were sent to groups in turn (<see cref="StageChains"/>).
/// The order is kept within each group; none is promised between groups, but where messages are taken one by one.
/// </para>
/// <para>
/// A group may move to another stage, or close. So a producer looks at the group's stage again after it has taken a
/// place; if that has changed, it gives the place up. The core clears the group's stage first, then looks at the places
/// that are taken. Between the two at least one sees the other, since taking a place is a full fence. So no message of
/// the group enters behind the core's back, and the order per producer holds across the move.
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

    private readonly StageChains _chains = new();

    // Held while a block is linked or removed.
    private SpinLock _growing = new(enableThreadOwnerTracking: false);

    // Written under the lock, except when the core moves from block to block.
    private StageBlock? _head;
    private StageBlock? _tail;

    /// <summary>Whether every taken place has been read. Checks the last block, not the head's successor: a producer
    /// that was preempted while growing has not linked the two, and the new block may already have taken
    /// places.</summary>
    public bool IsEmpty =>
        Volatile.Read(ref _head) is not { } head || (head.IsReadOut && Volatile.Read(ref _tail) == head);

    /// <summary>Appends a copy of a message. Any thread.</summary>
    /// <param name="group">The group of the message.</param>
    /// <param name="message">The message, at most <see cref="LongestMessage"/> bytes.</param>
    /// <returns>False if the stage is not the group's.</returns>
    public bool TryAppend(StagedGroup group, ReadOnlySpan<byte> message)
    {
        StageBlock block = Take(message.Length, out long word);
        if (group.Stage != this)
        {
            block.Void(word);
            return false;
        }
        block.Fill(word, group, message);
        return true;
    }

    /// <summary>Appends an object. Any thread.</summary>
    /// <returns>False if the stage is not the group's.</returns>
    public bool TryAppend(StagedGroup group, object request)
    {
        StageBlock block = Take(0, out long word);
        if (group.Stage != this)
        {
            block.Void(word);
            return false;
        }
        block.Fill(word, group, request);
        return true;
    }

    /// <summary>Appends an object for several groups. Any thread.</summary>
    /// <returns>False if the stage is not that of all groups.</returns>
    public bool TryAppend(ISendOwner[] owners, object request)
    {
        StageBlock block = Take(0, out long word);
        foreach (ISendOwner owner in owners)
        {
            if (owner.StagedGroup.Stage == this) continue;
            block.Void(word);
            return false;
        }
        block.Fill(word, owners[0].StagedGroup, request);
        return true;
    }

    /// <summary>Appends an entry whatever the group's stage is: a mark of the core, or a message of a group that is
    /// moved here.</summary>
    public void Append(StagedGroup? group, ReadOnlySpan<byte> message, object? request)
    {
        StageBlock block = Take(message.Length, out long word);
        if (request is not null) block.Fill(word, group, request);
        else block.Fill(word, group!, message);
    }

    /// <summary>Reads the next entry without removing it.</summary>
    /// <param name="entry">The entry; valid until <see cref="Advance"/>.</param>
    /// <returns>False if there is no entry, or if the next one is incomplete.</returns>
    public bool TryPeek(out StageEntry entry)
    {
        entry = default;
        if (Volatile.Read(ref _head) is not { } head) return false;
        while (!head.TryPeek(out entry))
        {
            if (head.Next is not { } next || !head.IsReadOut) return false;
            Volatile.Write(ref _head, next);
            _chains.OnLeft(head, next);
            pool.Collect(head);
            head = next;
        }
        return true;
    }

    /// <summary>The position of the next entry, for looking ahead; null when the stage has no block.</summary>
    public StagePosition? Start => Volatile.Read(ref _head) is { } head ? head.Start : null;

    /// <summary>Looks at the entry at a position and moves the position behind it, over blocks.</summary>
    /// <param name="at">The position.</param>
    /// <param name="entry">The entry; an empty one without a group where a place was given up.</param>
    /// <param name="isEnd">True when every taken place has been looked at; false: the next one is incomplete.</param>
    /// <returns>False when there is no complete entry.</returns>
    public bool TryLook(ref StagePosition at, out StageEntry entry, out bool isEnd)
    {
        while (!at.Block.TryLook(ref at, out entry))
        {
            isEnd = false;
            if (!at.Block.IsEnd(at)) return false;
            if (at.Block.Next is not { } next)
            {
                isEnd = Volatile.Read(ref _tail) == at.Block;
                return false;
            }
            at = next.Start;
        }
        isEnd = false;
        return true;
    }

    /// <summary>Removes the entry that was read last.</summary>
    public void Advance() => _head!.Advance();

    /// <summary>Looks for entries of the same group among all that wait: <see cref="TryFollow"/> finds them. Call it
    /// after <see cref="TryPeek"/> found an entry.</summary>
    /// <returns>The position of the next entry.</returns>
    public StagePosition Gather()
    {
        StageBlock head = _head!;
        _chains.Extend(head);
        return head.Start;
    }

    /// <summary>Finds the next entry of the same group, of those that were gathered, and takes the position
    /// there.</summary>
    /// <param name="at">The position of an entry of the group.</param>
    /// <param name="group">The group.</param>
    /// <param name="entry">The next entry; valid until it is removed.</param>
    /// <returns>False when there is none: the group's next message, if any, is found by
    /// <see cref="TryPeek"/>.</returns>
    public bool TryFollow(scoped ref StagePosition at, StagedGroup group, out StageEntry entry) =>
        _chains.TryFollow(ref at, group, out entry);

    /// <summary>Removes an entry, of any place in the order.</summary>
    public void Take(in StagePosition at)
    {
        if (at.Block == _head && at.Slot == at.Block.ReadSlot) at.Block.Advance();
        else at.Block.TakeOut(at.Slot);
    }

    /// <summary>Has memory loaded of the groups whose messages come in a while.</summary>
    public void LookAhead() => _head?.LookAhead();

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
        _chains.OnLeft(head, null);
        pool.Collect(head);
    }

    private StageBlock Take(int length, out long word)
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
            Grow(block, length);
        }
    }

    // Adds a block behind a full one, or the first block.
    private void Grow(StageBlock? full, int length)
    {
        StageBlock? next = pool.Rent();
        bool isTaken = false;
        try
        {
            _growing.Enter(ref isTaken);
            // Another producer was faster, or the block was read out meanwhile and serves this stage again.
            if (_tail != full || (full is not null && StageBlock.HasRoom(full.Word, length))) return;
            if (full is null) Volatile.Write(ref _head, next);
            Volatile.Write(ref _tail, next);
            full?.Seal();
            if (full is not null) full.Next = next;
            next = null;
        }
        finally
        {
            if (isTaken) _growing.Exit(useMemoryBarrier: false);
            if (next is not null) pool.Return(next);
        }
    }
}
