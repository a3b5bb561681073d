namespace QuickSilver.Transport.Sharing;

/// <summary>
/// What owner and readers of a segment say to each other, in its control area (<see cref="SegmentLayout"/>), without a lock and without waiting.
/// <para>
/// A block. The owner uses a block, and when it needs it no more raises its generation (1), then looks at the holders (2): none, and the block is
/// free; some, and it is looked at again later. A reader is told of a place and a generation, sets its bit among the holders (3), then reads the
/// generation (4): another than the told one, and the bit is cleared again, for the place is not there any more. (1) and (3) are interlocked, which
/// is a full fence: either (4) sees what (1) wrote or (2) sees what (3) wrote, so never does a reader keep what the owner takes for free. A bit that
/// was set for a moment only costs the owner another look. To let go is to clear the bit, interlocked: what was read before it was read before.
/// What the owner writes into a block it writes after (2), and before the note of it leaves, through the kernel.
/// </para>
/// <para>
/// A copy takes no bit: the bytes are read, then a fence, then the generation. Bytes of a later use are written after (1) of this one, so who has
/// seen one of them sees another generation.
/// </para>
/// <para>
/// A place. A reader claims one by exchanging state and process as one word, writes the rest, says that it reads (release), and raises the count of
/// changes last. Who leaves clears its bits first, then its key and start, and the word last: whoever claims the place next finds it blank.
/// The owner clears the place of a process that has died in the same way. One that died between claiming and writing has no start; the number of its
/// process must do. A stopped process is alive: its blocks stay lent.
/// </para>
/// Cost: of a borrowed block two interlocked operations on a line of its own, however many packets lie in it; of a block's use, one.
/// </summary>
internal readonly unsafe struct SegmentControl(byte* start)
{
    private const ulong Claimed = 1;
    private const ulong Reading = 2;
    private const ulong StateMask = uint.MaxValue;

    /// <summary>True when the owner has gone.</summary>
    public bool IsClosed => Volatile.Read(ref *(uint*)(start + SegmentLayout.ClosedOffset)) != 0;

    /// <summary>Rises when a reader has come, gone, or changed its key.</summary>
    public uint ReaderChanges => Volatile.Read(ref *(uint*)(start + SegmentLayout.ReaderChangesOffset));

    /// <summary>Blocks from the first that have ever been used. Written by the owner.</summary>
    public int Touched
    {
        get => Volatile.Read(ref *(int*)(start + SegmentLayout.TouchedOffset));
        set => Volatile.Write(ref *(int*)(start + SegmentLayout.TouchedOffset), value);
    }

    /// <summary>True while a reader that found no place free waits for the owner to look whose process has died.</summary>
    public bool IsWished
    {
        get => Volatile.Read(ref *(uint*)(start + SegmentLayout.WishOffset)) != 0;
        set => Volatile.Write(ref *(uint*)(start + SegmentLayout.WishOffset), value ? 1u : 0u);
    }

    /// <summary>The owner goes.</summary>
    public void Close() => Volatile.Write(ref *(uint*)(start + SegmentLayout.ClosedOffset), 1);

    /// <summary>Takes a place for a reader.</summary>
    /// <param name="reader">Its process.</param>
    /// <param name="node">The key of its number.</param>
    /// <returns>The place; -1 when all are taken.</returns>
    public int TryClaim(ProcessMark reader, ulong node)
    {
        ulong process = (ulong)reader.Process << 32;
        for (int place = 0; place < SegmentLayout.Readers; place++)
        {
            if (Volatile.Read(ref Word(place)) != 0 || Interlocked.CompareExchange(ref Word(place), process | Claimed, 0) != 0) continue;
            Volatile.Write(ref Start(place), reader.Start);
            Volatile.Write(ref Node(place), node);
            Volatile.Write(ref Word(place), process | Reading);
            RaiseReaderChanges();
            return place;
        }
        return -1;
    }

    /// <summary>A reader's node has been given another number.</summary>
    public void Rename(int place, ulong node)
    {
        Volatile.Write(ref Node(place), node);
        RaiseReaderChanges();
    }

    /// <summary>Gives a place up, and whatever its reader holds.</summary>
    /// <param name="place">The place.</param>
    /// <param name="blocks">How many blocks may be held; 0 when the reader is known to hold none.</param>
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

    /// <summary>True when a node reads the segment.</summary>
    /// <param name="node">The key of its number.</param>
    public bool IsReadBy(ulong node)
    {
        for (int place = 0; place < SegmentLayout.Readers; place++)
        {
            if ((Volatile.Read(ref Word(place)) & StateMask) == Reading && Volatile.Read(ref Node(place)) == node) return true;
        }
        return false;
    }

    /// <summary>Whose a place is.</summary>
    /// <param name="place">The place.</param>
    /// <param name="reader">The process.</param>
    /// <returns>False when it is free, or changes hands just now: a process and another's start would be nobody's.</returns>
    public bool TryGetReader(int place, out ProcessMark reader)
    {
        ulong word = Volatile.Read(ref Word(place));
        reader = new ProcessMark((uint)(word >> 32), Volatile.Read(ref Start(place)));
        return word != 0 && Volatile.Read(ref Word(place)) == word;
    }

    /// <summary>How often a block has been used before.</summary>
    public uint Generation(int block) => Volatile.Read(ref Line(block));

    /// <summary>The owner needs a block no more: what notes of it name is there no more.</summary>
    public void Retire(int block) => Interlocked.Increment(ref Line(block));

    /// <summary>True when any reader holds a block, or looks at it just now.</summary>
    public bool IsHeld(int block) => Volatile.Read(ref Holders(block)) != 0;

    /// <summary>A reader takes hold of a block, of which it holds nothing.</summary>
    /// <param name="block">The block.</param>
    /// <param name="generation">The generation that it was told of.</param>
    /// <param name="place">The reader's place.</param>
    /// <returns>False when the block is of another generation now; it is not held then.</returns>
    public bool TryHold(int block, uint generation, int place)
    {
        Interlocked.Or(ref Holders(block), 1UL << place);
        if (Generation(block) == generation) return true;
        LetGo(block, place);
        return false;
    }

    /// <summary>A reader lets go of a block.</summary>
    public void LetGo(int block, int place) => Interlocked.And(ref Holders(block), ~(1UL << place));

    private void RaiseReaderChanges() => Interlocked.Increment(ref *(uint*)(start + SegmentLayout.ReaderChangesOffset));

    private ref ulong Word(int place) => ref *(ulong*)(Place(place));

    private ref ulong Start(int place) => ref *(ulong*)(Place(place) + SegmentLayout.StartOffset);

    private ref ulong Node(int place) => ref *(ulong*)(Place(place) + SegmentLayout.NodeOffset);

    private byte* Place(int place) => start + SegmentLayout.PlacesOffset + (place * SegmentLayout.LineBytes);

    private ref uint Line(int block) => ref *(uint*)(start + SegmentLayout.LinesOffset + (block * SegmentLayout.LineBytes));

    private ref ulong Holders(int block) =>
        ref *(ulong*)(start + SegmentLayout.LinesOffset + (block * SegmentLayout.LineBytes) + SegmentLayout.HoldersOffset);
}
