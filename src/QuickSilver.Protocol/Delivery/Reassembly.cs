using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;

namespace QuickSilver.Protocol.Delivery;

/// <summary>
/// The fragments of one message, in any order, until all are there.
/// </summary>
/// <remarks>
/// Fragments are kept as slices of the packets they came in, sorted by offset, and joined once, when the message is
/// delivered. So memory follows the received bytes, never a fragment's claim about its message, and packets that are
/// cached anyway are not kept twice. Fragments do not overlap, so they are complete when their lengths add up. A
/// fragment above all others is added in O(1), another by a binary search and a move.
/// </remarks>
internal sealed class Reassembly
{
    private const int FirstCapacity = 16;

    private Part[] _parts = [];

    private readonly record struct Part(int Offset, Slice Bytes)
    {
        public int End => Offset + Bytes.Length;
    }

    /// <summary>Length of the whole message.</summary>
    public int MessageLength { get; private set; }

    /// <summary>True when the message is a piece of a long message.</summary>
    public bool IsOfPiece { get; private set; }

    /// <summary>Number of fragments held.</summary>
    public int Count { get; private set; }

    /// <summary>Bytes of those fragments.</summary>
    public int Received { get; private set; }

    /// <summary>True when the whole message is here.</summary>
    public bool IsComplete => Received == MessageLength;

    /// <summary>Fragments for which there is room without a new array.</summary>
    public int Capacity => _parts.Length;

    /// <summary>Begins a message; no fragments may be held.</summary>
    public void Begin(int messageLength, bool isOfPiece = false)
    {
        System.Diagnostics.Debug.Assert(Count == 0, "fragments of another message are held");
        MessageLength = messageLength;
        IsOfPiece = isOfPiece;
        Received = 0;
    }

    /// <summary>Adds a fragment, and a reference to its bytes if it is new.</summary>
    /// <param name="messageLength">The whole message's length, as the fragment claims it.</param>
    /// <param name="offset">The fragment's position in the message.</param>
    /// <param name="bytes">Its bytes.</param>
    public FragmentOutcome Add(int messageLength, int offset, Slice bytes)
    {
        bool isInside = bytes.Length > 0 && offset >= 0 && offset <= messageLength - bytes.Length;
        if (messageLength != MessageLength || !isInside) return FragmentOutcome.Contradiction;
        int index = Count == 0 || _parts[Count - 1].End <= offset ? Count : FirstEndingAbove(offset);
        if (index < Count)
        {
            Part above = _parts[index];
            if (above.Offset == offset && above.Bytes.Length == bytes.Length) return FragmentOutcome.Duplicate;
            if (above.Offset < offset + bytes.Length) return FragmentOutcome.Contradiction;
        }
        if (Count == _parts.Length) Array.Resize(ref _parts, Math.Max(FirstCapacity, Count * 2));
        if (index < Count) Array.Copy(_parts, index, _parts, index + 1, Count - index);
        bytes.Retain();
        _parts[index] = new Part(offset, bytes);
        Count++;
        Received += bytes.Length;
        return FragmentOutcome.Added;
    }

    /// <summary>Joins the message into a buffer; it must be complete.</summary>
    public void JoinInto(Span<byte> message)
    {
        System.Diagnostics.Debug.Assert(IsComplete, "a fragment is missing");
        foreach (Part part in _parts.AsSpan(0, Count)) part.Bytes.Span.CopyTo(message[part.Offset..]);
    }

    /// <summary>Releases all fragments.</summary>
    public void Clear()
    {
        foreach (Part part in _parts.AsSpan(0, Count)) part.Bytes.Release();
        _parts.AsSpan(0, Count).Clear();
        Count = 0;
        Received = 0;
        MessageLength = 0;
    }

    private int FirstEndingAbove(int offset)
    {
        int low = 0, high = Count;
        while (low < high)
        {
            int middle = (low + high) >>> 1;
            if (_parts[middle].End <= offset) low = middle + 1;
            else high = middle;
        }
        return low;
    }
}
