using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Recovery.Reception;

/// <summary>
/// One packet that comes in parts: its memory, and the ranges of bytes received. Reused for other packets.
/// </summary>
internal sealed class PartJoin
{
    // More holes come only from parts cut to many different lengths, or from false parts.
    private const int MaxRanges = 16;

    private readonly (int Start, int End)[] _ranges = new (int, int)[MaxRanges];
    private int _count;

    /// <summary>The view of the packet's stream; null while no packet is joined here.</summary>
    public RegionView? View { get; private set; }

    /// <summary>Key of the packet's sender.</summary>
    public ulong Sender { get; private set; }

    /// <summary>Sequence of the packet.</summary>
    public ulong Sequence { get; private set; }

    /// <summary>The packet's memory, with one reference.</summary>
    public Slice Whole { get; private set; }

    /// <summary>Time when the last part came.</summary>
    public Instant Touched { get; private set; }

    /// <summary>True when every byte is here.</summary>
    public bool IsWhole => _count == 1 && _ranges[0].Start == 0 && _ranges[0].End == Whole.Length;

    /// <summary>Begins with a packet; the reference passes to this object.</summary>
    public void Begin(RegionView view, ulong sender, ulong sequence, Slice whole)
    {
        View = view;
        Sender = sender;
        Sequence = sequence;
        Whole = whole;
        _count = 0;
    }

    /// <summary>Copies a part to its offset.</summary>
    /// <param name="part">The part, of a packet of this length.</param>
    /// <param name="now">The time of arrival.</param>
    /// <returns>False when there are too many holes: the part is dropped.</returns>
    public bool TryAdd(in RepairPartBody part, Instant now)
    {
        int start = part.Offset, end = part.Offset + part.Bytes.Length;
        int first = 0;
        while (first < _count && _ranges[first].End < start) first++;
        int last = first;
        while (last < _count && _ranges[last].Start <= end)
        {
            start = Math.Min(start, _ranges[last].Start);
            end = Math.Max(end, _ranges[last].End);
            last++;
        }
        if (first == last && _count == MaxRanges) return false;
        part.Bytes.CopyTo(Whole.Span[part.Offset..]);
        Array.Copy(_ranges, last, _ranges, first + 1, _count - last);
        _count += 1 + first - last;
        _ranges[first] = (start, end);
        Touched = now;
        return true;
    }

    /// <summary>Ends the join; the packet's memory passes to the caller.</summary>
    public Slice End()
    {
        Slice whole = Whole;
        View = null;
        Whole = default;
        return whole;
    }
}
