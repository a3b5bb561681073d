using QuickSilver.Protocol.Flow.Repairs;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Recovery.Reception;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Recovery.Repairs;

/// <summary>
/// One pull or NAK that waits to be built: its addressee, its stream, its ranges. It fits the narrowest way. Reused.
/// </summary>
internal sealed class RequestOrder
{
    // Room for ranges in the shortest datagram, with the longer of the two forms.
    private const int MostBytes = PathLadder.Floor - DatagramHeader.Length - PullBody.MaxFixedLength;

    private readonly SequenceRange[] _ranges = new SequenceRange[PullBody.MaxRanges];
    private int _count;
    private int _bytes;

    public StreamReceiver? Stream { get; private set; }

    public NodeInfo? To { get; private set; }

    public bool IsNak { get; private set; }

    public bool Wide { get; private set; }

    public int Partition { get; private set; }

    public void Begin(StreamReceiver stream, NodeInfo to, bool isNak, bool wide, int partition)
    {
        Stream = stream;
        To = to;
        IsNak = isNak;
        Wide = wide;
        Partition = partition;
        _count = 0;
        _bytes = 0;
    }

    /// <summary>
    /// Adds a range above the others, joined to the last if it touches it. False when there is no room, or the range is
    /// not above them.
    /// </summary>
    public bool TryAdd(SequenceRange range)
    {
        if (_count > 0)
        {
            ref SequenceRange last = ref _ranges[_count - 1];
            if (range.Start < last.End) return false;
            if (range.Start == last.End)
            {
                int grows = WireWriter.VarintLength(range.End - last.Start) - WireWriter.VarintLength(last.Count);
                if (_bytes + grows > MostBytes) return false;
                _bytes += grows;
                last = last with { End = range.End };
                return true;
            }
        }
        ulong gap = range.Start - (_count > 0 ? _ranges[_count - 1].End : 1);
        int bytes = WireWriter.VarintLength(gap) + WireWriter.VarintLength(range.Count);
        if (_count == _ranges.Length || _bytes + bytes > MostBytes) return false;
        _bytes += bytes;
        _ranges[_count++] = range;
        return true;
    }

    /// <summary>The ranges that are still missing when the request leaves.</summary>
    public ReadOnlySpan<SequenceRange> StillMissing()
    {
        int kept = 0;
        for (int index = 0; index < _count; index++)
        {
            SequenceRange range = _ranges[index];
            if (Wide || range.Count > 1 || !Stream!.Has(range.Start)) _ranges[kept++] = range;
        }
        _count = kept;
        return _ranges.AsSpan(0, kept);
    }

    public void Clear()
    {
        Stream = null;
        To = null;
        _count = 0;
    }
}
