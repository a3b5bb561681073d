using QuickSilver.Protocol.Flow.Buffers;

namespace QuickSilver.Protocol.Flow;

/// <summary>
/// Whole messages of one sender in one group, with consecutive numbers and one length, at equal distances in one chunk.
/// They are a packet's batch, messages of groups that take turns in a packet, or a single message. Delivery handles
/// them together. A piece of a long message is always alone. Copying the struct copies no reference.
/// </summary>
/// <param name="number">Number of the lowest, from 1.</param>
/// <param name="first">Bytes of the lowest.</param>
/// <param name="count">Messages, at least one.</param>
/// <param name="distance">Bytes from the beginning of one to that of the next; meaningless for a single
/// message.</param>
internal struct DeliveryBatch(ulong number, in Slice first, int count = 1, int distance = 0)
{
    // No distance between messages has this value, and a part has none: so the struct need not grow.
    private const int PieceMark = -1;

    /// <summary>Number of the lowest message.</summary>
    public ulong Number { get; } = number;

    /// <summary>Bytes of the lowest message.</summary>
    public Slice First { get; } = first;

    /// <summary>Messages.</summary>
    public int Count { get; private set; } = count;

    /// <summary>Bytes from the beginning of one message to that of the next.</summary>
    public int Distance { get; private set; } = distance;

    /// <summary>True for a piece of a long message.</summary>
    public readonly bool IsPiece => Distance == PieceMark;

    /// <summary>The number after the highest message's.</summary>
    public readonly ulong End => Number + (ulong)Count;

    /// <summary>Length of each message.</summary>
    public readonly int Length => First.Length;

    /// <summary>Length of all together.</summary>
    public readonly long TotalLength => (long)Count * First.Length;

    /// <summary>From the first byte of the lowest message to the last of the highest.</summary>
    public readonly ReadOnlySpan<byte> Span =>
        First.Chunk is { } chunk ? chunk.AsSpan(First.Offset, ((Count - 1) * Distance) + First.Length) : default;

    /// <summary>Bytes of one of the messages, from 0.</summary>
    public readonly Slice this[int index] => new(First.Chunk, First.Offset + (index * Distance), First.Length);

    /// <summary>One piece of a long message.</summary>
    public static DeliveryBatch OfPiece(ulong number, in Slice part) => new(number, part, 1, PieceMark);

    /// <summary>The batch without its <paramref name="skipped"/> lowest messages; at least one must remain.</summary>
    public readonly DeliveryBatch After(int skipped) =>
        new(Number + (ulong)skipped, this[skipped], Count - skipped, Distance);

    /// <summary>The <paramref name="count"/> lowest messages, at least one.</summary>
    public readonly DeliveryBatch Until(int count) => new(Number, First, count, Distance);

    /// <summary>Appends a batch that continues this one in number, length and distances.</summary>
    /// <returns>False when it does not continue this one; then nothing has changed.</returns>
    public bool TryAppend(in DeliveryBatch next)
    {
        if (next.Number != End || next.First.Chunk != First.Chunk || next.Length != Length
            || First.Chunk is null || IsPiece || next.IsPiece)
        {
            return false;
        }
        int fromFirst = next.First.Offset - First.Offset;
        int distance = Count > 1 ? Distance : fromFirst;
        // Messages written out of order lie before this batch, or inside it.
        if (distance < Length || fromFirst != Count * distance || (next.Count > 1 && next.Distance != distance))
        {
            return false;
        }
        Count += next.Count;
        Distance = distance;
        return true;
    }
}
