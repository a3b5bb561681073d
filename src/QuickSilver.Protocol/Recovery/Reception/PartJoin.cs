using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Recovery.Reception;

/// <summary>One packet that comes in parts: its memory, and which bytes of it are here. Used again for other packets.</summary>
internal sealed class PartJoin
{
    // More holes than that come of parts cut to many different lengths, or of lies.
    private const int MostRuns = 16;

    private readonly (int Start, int End)[] _runs = new (int, int)[MostRuns];
    private int _count;

    /// <summary>The view; null while nothing is joined here.</summary>
    public RegionView? View { get; private set; }

    /// <summary>Key of the packet's sender.</summary>
    public ulong Sender { get; private set; }

    /// <summary>The packet.</summary>
    public ulong Sequence { get; private set; }

    /// <summary>The packet's memory, with one reference.</summary>
    public Slice Whole { get; private set; }

    /// <summary>When the last part came.</summary>
    public Instant Touched { get; private set; }

    /// <summary>True when every byte is here.</summary>
    public bool IsWhole => _count == 1 && _runs[0].Start == 0 && _runs[0].End == Whole.Length;

    /// <summary>Begins with a packet; the reference passes to this object.</summary>
    public void Begin(RegionView view, ulong sender, ulong sequence, Slice whole)
    {
        View = view;
        Sender = sender;
        Sequence = sequence;
        Whole = whole;
        _count = 0;
    }

    /// <summary>Puts a part in its place.</summary>
    /// <param name="part">The part, of a packet of this length.</param>
    /// <param name="now">The present instant.</param>
    /// <returns>False when there are too many holes: the part is as good as lost.</returns>
    public bool TryAdd(in RepairPartBody part, Instant now)
    {
        int start = part.Offset, end = part.Offset + part.Bytes.Length;
        int first = 0;
        while (first < _count && _runs[first].End < start) first++;
        int last = first;
        while (last < _count && _runs[last].Start <= end)
        {
            start = Math.Min(start, _runs[last].Start);
            end = Math.Max(end, _runs[last].End);
            last++;
        }
        if (first == last && _count == MostRuns) return false;
        part.Bytes.CopyTo(Whole.Span[part.Offset..]);
        Array.Copy(_runs, last, _runs, first + 1, _count - last);
        _count += 1 + first - last;
        _runs[first] = (start, end);
        Touched = now;
        return true;
    }

    /// <summary>Ends; the packet's memory is the caller's.</summary>
    public Slice End()
    {
        Slice whole = Whole;
        View = null;
        Whole = default;
        return whole;
    }
}
