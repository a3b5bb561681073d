using QuickSilver.Protocol.Core;

namespace QuickSilver.Protocol.Recovery.Reception;

/// <summary>
/// The packets that a member misses of one stream, in ranges. It alone records whether a packet is missing, and when it
/// was last requested.
/// <para>
/// Idea: a sequence is missing only when the socket has been read past it (the read position). So ranges are only added
/// at the top, in order. All other events (the token, a pull, a peer's silence) move ranges between states, and
/// arrivals take sequences out. A range is <i>suspected</i> from the time the gap was seen, and <i>requested</i> from
/// the first request on, with the number of requests. A range requested within two round trips is marked so in the
/// token, and is neither pushed nor requested again.
/// </para>
/// <para>
/// Awkward cases: an arrival in the middle splits its range. Reordered packets fill a range before its grace is over,
/// which costs nothing.
/// </para>
/// Cost: O(log n) to find, O(n) to move entries, n ranges; a burst is one range. Allocates only when the list grows.
/// Source: first paper, section 2.2 (relative asynchrony, bounded state); pulling at once is new here.
/// </summary>
internal sealed class MissingRanges
{
    private readonly List<MissingRange> _ranges = [];

    /// <summary>Number of ranges.</summary>
    public int Count => _ranges.Count;

    /// <summary>Number of sequences that are missing.</summary>
    public ulong Sequences { get; private set; }

    /// <summary>A range by its index, ascending by sequence.</summary>
    public MissingRange this[int index]
    {
        get => _ranges[index];
        set => _ranges[index] = value;
    }

    /// <summary>Adds a gap above all others.</summary>
    public void AddGap(ulong start, ulong end, Instant now)
    {
        bool isInOrder = start < end && (_ranges.Count == 0 || _ranges[^1].End <= start);
        System.Diagnostics.Debug.Assert(isInOrder, "gaps come in order");
        Sequences += end - start;
        if (_ranges.Count > 0 && _ranges[^1] is { IsRequested: false } last && last.End == start && last.When == now)
            _ranges[^1] = last with { End = end };
        else
            _ranges.Add(new MissingRange(start, end, now, 0));
    }

    /// <summary>Removes one sequence.</summary>
    /// <param name="sequence">The sequence that has arrived.</param>
    /// <param name="range">The range that held it, as it was before.</param>
    /// <returns>False when it was not missing.</returns>
    public bool Fill(ulong sequence, out MissingRange range)
    {
        int index = IndexOf(sequence);
        if (index < 0)
        {
            range = default;
            return false;
        }
        range = _ranges[index];
        Sequences--;
        if (range.Start == sequence)
        {
            if (range.End == sequence + 1) _ranges.RemoveAt(index);
            else _ranges[index] = range with { Start = sequence + 1 };
        }
        else if (range.End == sequence + 1)
        {
            _ranges[index] = range with { End = sequence };
        }
        else
        {
            _ranges[index] = range with { End = sequence };
            _ranges.Insert(index + 1, range with { Start = sequence + 1 });
        }
        return true;
    }

    /// <summary>
    /// Removes all ranges. O(1) a range, where filling sequence by sequence would move all ranges for each.
    /// </summary>
    public void Clear()
    {
        _ranges.Clear();
        Sequences = 0;
    }

    /// <summary>Cuts a range in two at a sequence, so that its first part can be requested alone.</summary>
    public void Split(int index, ulong sequence)
    {
        MissingRange range = _ranges[index];
        System.Diagnostics.Debug.Assert(sequence > range.Start && sequence < range.End, "a cut inside the range");
        _ranges[index] = range with { End = sequence };
        _ranges.Insert(index + 1, range with { Start = sequence });
    }

    /// <summary>Index of the range that holds a sequence, or negative. O(log n).</summary>
    public int IndexOf(ulong sequence)
    {
        int low = 0, high = _ranges.Count - 1;
        while (low <= high)
        {
            int middle = (low + high) >>> 1;
            MissingRange range = _ranges[middle];
            if (sequence < range.Start) high = middle - 1;
            else if (sequence >= range.End) low = middle + 1;
            else return middle;
        }
        return -1;
    }
}
