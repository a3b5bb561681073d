using QuickSilver.Protocol.Flow;

namespace QuickSilver.Protocol.Delivery;

/// <summary>
/// What cannot be delivered yet and is held as one: whole messages of a (sender, group) with consecutive numbers and one length that stand at equal
/// distances in one chunk, as in a packet of equal messages; or a single message, whole or in fragments.
/// </summary>
/// <remarks>
/// A lost packet makes all that follow wait, and each of them may bring dozens of messages: as a run they cost one entry and one reference. Where each
/// stands follows from the lowest, so the packet is not read again: it came milliseconds ago and is out of the caches, and going from record to record
/// there was measured to cost what a run saves. Messages of unequal lengths make several runs, in the worst case one for each.
/// </remarks>
internal struct HeldRun
{
    /// <summary>What an entry or a fragment is charged beside its bytes: about what keeping it costs.</summary>
    public const int Overhead = 64;

    private int _distance;

    /// <summary>A whole message.</summary>
    public HeldRun(ulong number, Slice bytes)
    {
        Number = number;
        Bytes = bytes;
        Count = 1;
    }

    /// <summary>A message in fragments.</summary>
    public HeldRun(ulong number, Reassembly parts)
    {
        Number = number;
        Parts = parts;
        Count = 1;
    }

    /// <summary>Number of the lowest message.</summary>
    public ulong Number { get; private set; }

    /// <summary>Messages.</summary>
    public int Count { get; private set; }

    /// <summary>The number after the highest message's.</summary>
    public readonly ulong End => Number + (ulong)Count;

    /// <summary>The lowest message's bytes, when it is whole. One reference serves the run.</summary>
    public Slice Bytes { get; private set; }

    /// <summary>Fragments; null for whole messages.</summary>
    public Reassembly? Parts { get; }

    /// <summary>True when the lowest message can be delivered.</summary>
    public readonly bool IsComplete => Parts is null || Parts.IsComplete;

    /// <summary>What the run is charged against the cap.</summary>
    public readonly long Charge =>
        Parts is null ? ((long)Count * Bytes.Length) + Overhead : Parts.Received + ((long)Parts.Count * Overhead);

    /// <summary>True when a message of this number is here.</summary>
    public readonly bool Covers(ulong number) => number - Number < (ulong)Count;

    /// <summary>Takes a whole message in as the highest, without a reference of its own, if it stands where the run goes on.</summary>
    public bool TryAppend(ulong number, in Slice bytes)
    {
        if (number != End || bytes.Chunk != Bytes.Chunk || bytes.Length != Bytes.Length || bytes.IsEmpty) return false;
        int fromLowest = bytes.Offset - Bytes.Offset;
        if (Count == 1) _distance = fromLowest;
        else if (fromLowest != Count * _distance) return false;
        Count++;
        return true;
    }

    /// <summary>Leaves the lowest of several messages behind. The run keeps its reference.</summary>
    public void MoveOn()
    {
        System.Diagnostics.Debug.Assert(Count > 1, "the last message leaves with its run");
        Number++;
        Count--;
        Bytes = Bytes with { Offset = Bytes.Offset + _distance };
    }
}
