namespace QuickSilver.Transport.Sharing;

/// <summary>
/// The protocol between the owner and the readers of a segment, in its control area (<see cref="SegmentLayout"/>),
/// without locks and without waiting.
/// <para>
/// A block. When the owner no longer needs a block, it raises the generation (1), then reads the holders (2). Without
/// holders the block is free; otherwise it is checked again later. A reader receives a place and a generation, sets its
/// bit among the holders (3), then reads the generation (4). If the generation differs, the packet is gone, and the
/// reader clears its bit. (1) and (3) are interlocked, which is a full fence: either (4) sees the write of (1), or (2)
/// sees the write of (3). A reader thus never keeps a block that the owner considers free. A bit set for a moment costs
/// the owner one more check. A reader releases a block by clearing its bit, interlocked, which orders its reads before.
/// The owner writes into a block after (2), and before the note of it leaves through the kernel.
/// </para>
/// <para>
/// A copy sets no bit: the reader reads the bytes, fences, then reads the generation. Bytes of a later use are written
/// after (1) of this one, so that a reader of such a byte sees another generation.
/// </para>
/// <para>
/// A place. A reader claims a place by exchanging state and process as one word. It then writes the rest, sets the
/// state to reading (release), and raises the count of changes last. A leaving reader clears its bits first, then its
/// key and start, and the word last, so that the next reader finds an empty place. The owner clears the place of a dead
/// process in the same way. A process that died between claiming and writing has no start; its number must suffice. A
/// stopped process is alive: its blocks stay lent.
/// </para>
/// Cost: two interlocked operations for each borrowed block, on a separate cache line, for any number of packets. The
/// owner pays one for each use of a block.
/// </summary>
internal readonly unsafe struct SegmentControl(byte* start)
{
    private const ulong Claimed = 1;
    private const ulong Reading = 2;
    private const ulong StateMask = uint.MaxValue;

    /// <summary>True when the owner has closed the segment.</summary>
    public bool IsClosed => Volatile.Read(ref *(uint*)(start + SegmentLayout.ClosedOffset)) != 0;

    /// <summary>A counter that rises when a reader attaches, leaves, or changes its key.</summary>
    public uint ReaderChanges => Volatile.Read(ref *(uint*)(start + SegmentLayout.ReaderChangesOffset));

    /// <summary>The number of blocks ever used, from the first. Written by the owner.</summary>
    public int Touched
    {
        get => Volatile.Read(ref *(int*)(start + SegmentLayout.TouchedOffset));
        set => Volatile.Write(ref *(int*)(start + SegmentLayout.TouchedOffset), value);
    }

    /// <summary>True while a reader without a free place waits for the owner to check for dead processes.</summary>
    public bool IsWished
    {
        get => Volatile.Read(ref *(uint*)(start + SegmentLayout.WishOffset)) != 0;
        set => Volatile.Write(ref *(uint*)(start + SegmentLayout.WishOffset), value ? 1u : 0u);
    }

    /// <summary>Marks the segment as closed. Owner only.</summary>
    public void Close() => Volatile.Write(ref *(uint*)(start + SegmentLayout.ClosedOffset), 1);

    /// <summary>Claims a place for a reader.</summary>
    /// <param name="reader">The process of the reader.</param>
    /// <param name="node">The key of the reader's node number.</param>
    /// <returns>The place; -1 when all are taken.</returns>
    public int TryClaim(ProcessMark reader, ulong node)
    {
        ulong process = (ulong)reader.Process << 32;
        for (int place = 0; place < SegmentLayout.Readers; place++)
        {
            if (Volatile.Read(ref Word(place)) != 0
                || Interlocked.CompareExchange(ref Word(place), process | Claimed, 0) != 0)
                continue;
            Volatile.Write(ref Start(place), reader.Start);
            Volatile.Write(ref Node(place), node);
            Volatile.Write(ref Word(place), process | Reading);
            RaiseReaderChanges();
            return place;
        }
        return -1;
    }

    /// <summary>Changes the key of a reader whose node has a new number.</summary>
    public void Rename(int place, ulong node)
    {
        Volatile.Write(ref Node(place), node);
        RaiseReaderChanges();
    }

    /// <summary>Releases a place, and the blocks that its reader holds.</summary>
    /// <param name="place">The place.</param>
    /// <param name="blocks">The number of blocks that may be held; 0 when the reader holds none.</param>
    public void Leave(int place, int blocks)
    {
        for (int block = 0; block < blocks; block++)
        {
            if ((Volatile.Read(ref Holders(block)) & (1UL << place)) != 0) LetGo(block, place);
        }
        Volatile.Write(ref Node(place), 0);
        Volatile.Write(ref Start(place), 0);
        Volatile.Write(ref Word(place), 0);
        RaiseReaderChanges();
    }

    /// <summary>True when a node is a reader of the segment.</summary>
    /// <param name="node">The key of the node's number.</param>
    public bool IsReadBy(ulong node)
    {
        for (int place = 0; place < SegmentLayout.Readers; place++)
        {
            if ((Volatile.Read(ref Word(place)) & StateMask) == Reading && Volatile.Read(ref Node(place)) == node)
                return true;
        }
        return false;
    }

    /// <summary>Reads the process at a place.</summary>
    /// <param name="place">The place.</param>
    /// <param name="reader">The process of the reader.</param>
    /// <returns>False when the place is free or just changing: a process with another's start would identify
    /// none.</returns>
    public bool TryGetReader(int place, out ProcessMark reader)
    {
        ulong word = Volatile.Read(ref Word(place));
        reader = new ProcessMark((uint)(word >> 32), Volatile.Read(ref Start(place)));
        return word != 0 && Volatile.Read(ref Word(place)) == word;
    }

    /// <summary>Reads how often a block has been used before.</summary>
    public uint Generation(int block) => Volatile.Read(ref Line(block));

    /// <summary>Ends the use of a block by the owner: earlier notes of it become invalid.</summary>
    public void Retire(int block) => Interlocked.Increment(ref Line(block));

    /// <summary>True when a reader holds a block, or is just trying to.</summary>
    public bool IsHeld(int block) => Volatile.Read(ref Holders(block)) != 0;

    /// <summary>Holds a block for a reader that does not hold it yet.</summary>
    /// <param name="block">The block.</param>
    /// <param name="generation">The generation in the note.</param>
    /// <param name="place">The reader's place.</param>
    /// <returns>False when the block has another generation, and is not held.</returns>
    public bool TryHold(int block, uint generation, int place)
    {
        Interlocked.Or(ref Holders(block), 1UL << place);
        if (Generation(block) == generation) return true;
        LetGo(block, place);
        return false;
    }

    /// <summary>Releases a block for a reader.</summary>
    public void LetGo(int block, int place) => Interlocked.And(ref Holders(block), ~(1UL << place));

    private void RaiseReaderChanges() => Interlocked.Increment(ref *(uint*)(start + SegmentLayout.ReaderChangesOffset));

    private ref ulong Word(int place) => ref *(ulong*)(Place(place));

    private ref ulong Start(int place) => ref *(ulong*)(Place(place) + SegmentLayout.StartOffset);

    private ref ulong Node(int place) => ref *(ulong*)(Place(place) + SegmentLayout.NodeOffset);

    private byte* Place(int place) => start + SegmentLayout.PlacesOffset + (place * SegmentLayout.LineBytes);

    private ref uint Line(int block) =>
        ref *(uint*)(start + SegmentLayout.LinesOffset + (block * SegmentLayout.LineBytes));

    private ref ulong Holders(int block) =>
        ref *(ulong*)(
            start + SegmentLayout.LinesOffset + (block * SegmentLayout.LineBytes) + SegmentLayout.HoldersOffset);
}
