using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Recovery.Reception;

/// <summary>
/// What a member misses of one stream, in runs: the one place that says of each packet whether it is missing, and whom it was asked of when.
/// <para>
/// Idea: a sequence is missing only when the socket has been read past it (the intake), so runs are only ever added at the top, in order; everything
/// else (the token, a pull, a peer's silence) merely moves runs between states, and arrivals take sequences out. A run is <i>suspected</i> from the
/// moment the gap was seen, and <i>requested</i> from the moment somebody was asked, with the number of times. What was requested within two round
/// trips is shown as such in the token, and is neither pushed nor asked for again.
/// </para>
/// <para>
/// Awkward cases: an arrival in the middle splits its run; overtaking packets fill a run before its grace is over, which costs nothing.
/// Cost: O(log n) to find, O(n) to move entries, n runs; a burst is one run. Allocates only when the list grows.
/// Source: first paper, section 2.2 (relative asynchrony, bounded state); pulling at once is ours.
/// </para>
/// </summary>
internal sealed class MissingRanges
{
    private readonly List<MissingRange> _runs = [];

    /// <summary>How many runs there are.</summary>
    public int Count => _runs.Count;

    /// <summary>How many sequences are missing.</summary>
    public ulong Sequences { get; private set; }

    /// <summary>A run, ascending by sequence.</summary>
    public MissingRange this[int index]
    {
        get => _runs[index];
        set => _runs[index] = value;
    }

    /// <summary>Adds a gap above all others.</summary>
    public void AddGap(ulong start, ulong end, Instant now)
    {
        System.Diagnostics.Debug.Assert(start < end && (_runs.Count == 0 || _runs[^1].End <= start), "gaps come in order");
        Sequences += end - start;
        if (_runs.Count > 0 && _runs[^1] is { IsRequested: false } last && last.End == start && last.When == now)
            _runs[^1] = last with { End = end };
        else
            _runs.Add(new MissingRange(start, end, now, 0));
    }

    /// <summary>Takes one sequence out.</summary>
    /// <param name="sequence">What has arrived.</param>
    /// <param name="run">The run it was in, as it was before.</param>
    /// <returns>False when it was not missing.</returns>
    public bool Fill(ulong sequence, out MissingRange run)
    {
        int index = IndexOf(sequence);
        if (index < 0)
        {
            run = default;
            return false;
        }
        run = _runs[index];
        Sequences--;
        if (run.Start == sequence)
        {
            if (run.End == sequence + 1) _runs.RemoveAt(index);
            else _runs[index] = run with { Start = sequence + 1 };
        }
        else if (run.End == sequence + 1)
        {
            _runs[index] = run with { End = sequence };
        }
        else
        {
            _runs[index] = run with { End = sequence };
            _runs.Insert(index + 1, run with { Start = sequence + 1 });
        }
        return true;
    }

    /// <summary>Nothing is missing any more. O(1) a run, where filling sequence by sequence would move all runs for each.</summary>
    public void Clear()
    {
        _runs.Clear();
        Sequences = 0;
    }

    /// <summary>Cuts a run in two, so that its first part can be asked for alone.</summary>
    public void Split(int index, ulong at)
    {
        MissingRange run = _runs[index];
        System.Diagnostics.Debug.Assert(at > run.Start && at < run.End, "a cut inside the run");
        _runs[index] = run with { End = at };
        _runs.Insert(index + 1, run with { Start = at });
    }

    /// <summary>Index of the run that holds a sequence, or negative. O(log n).</summary>
    public int IndexOf(ulong sequence)
    {
        int low = 0, high = _runs.Count - 1;
        while (low <= high)
        {
            int middle = (low + high) >>> 1;
            MissingRange run = _runs[middle];
            if (sequence < run.Start) high = middle - 1;
            else if (sequence >= run.End) low = middle + 1;
            else return middle;
        }
        return -1;
    }
}
