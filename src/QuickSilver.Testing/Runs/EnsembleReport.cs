using System.Globalization;
using System.Text;
using QuickSilver.Testing.Probing;

namespace QuickSilver.Testing.Runs;

/// <summary>What came of many runs. Adding is thread safe; reading is for afterwards.</summary>
internal sealed class EnsembleReport
{
    private readonly Lock _gate = new();
    private readonly SortedDictionary<ulong, string> _failures = [];
    private readonly SortedDictionary<string, int> _traits = new(StringComparer.Ordinal);
    private readonly SortedDictionary<ulong, ulong> _traces = [];
    private readonly MarkTable _marks = new();

    /// <summary>The first seed.</summary>
    public ulong First { get; init; }

    /// <summary>Runs.</summary>
    public int Runs { get; private set; }

    /// <summary>Runs that were run twice.</summary>
    public int Twice { get; private set; }

    /// <summary>Virtual time of all clusters: a run of a minute with a hundred nodes counts a minute.</summary>
    public TimeSpan VirtualTime { get; private set; }

    /// <summary>Virtual time of all machines: a run of a minute with a hundred nodes counts a hundred
    /// minutes.</summary>
    public TimeSpan NodeTime { get; private set; }

    /// <summary>Real time of all threads together, second runs not counted.</summary>
    public TimeSpan Cost { get; private set; }

    /// <summary>Real time from begin to end.</summary>
    public TimeSpan Took { get; internal set; }

    /// <summary>Events in all runs.</summary>
    public ulong Events { get; private set; }

    /// <summary>Messages delivered in all runs.</summary>
    public ulong Delivered { get; private set; }

    /// <summary>Copies of datagrams that the networks lost, cut off, doubled, held back or damaged.</summary>
    public ulong PacketFaults { get; private set; }

    /// <summary>Seeds that broke a promise, and how.</summary>
    public IReadOnlyDictionary<ulong, string> Failures => _failures;

    /// <summary>A line for each seed: the seed, and the hash over everything observable in its run.</summary>
    public IEnumerable<string> Traces => _traces.Select(
        pair => string.Create(CultureInfo.InvariantCulture, $"{pair.Key} {pair.Value:x16}"));

    /// <summary>The seeds that took longest, and their real time.</summary>
    public List<(ulong Seed, TimeSpan Time, int Nodes)> Slowest { get; } = [];

    /// <summary>How often the runs reached each mark.</summary>
    internal MarkTable Marks => _marks;

    /// <summary>One row for the ledger, <c>bench/history/ledger.csv</c>.</summary>
    /// <param name="commit">The commit that was run.</param>
    public string LedgerRow(string commit) => string.Create(
        CultureInfo.InvariantCulture,
        $"{DateTime.UtcNow:yyyy-MM-dd},{commit},run,{First}..{First + (ulong)Runs - 1},{Runs},"
        + $"{VirtualTime.TotalHours:F1},{NodeTime.TotalHours:F0},{PacketFaults / 1e6:F1},{_failures.Count},");

    /// <summary>Sums, traits, marks and failures, as readable text.</summary>
    public override string ToString()
    {
        var text = new StringBuilder();
        text.Append(
            CultureInfo.InvariantCulture,
            $"{Runs} seeds from {First}, {Twice} of them twice: {VirtualTime.TotalHours:F2} virtual cluster-hours, "
            + $"{NodeTime.TotalHours:F1} node-hours, {Events / 1e6:F1} M events, {Delivered / 1e6:F2} M deliveries, "
            + $"{PacketFaults / 1e6:F2} M packet faults in {Took.TotalSeconds:F0} s; "
            + $"{VirtualTime.TotalHours / Math.Max(1e-9, Cost.TotalMinutes):F2} virtual hours per core minute\n");
        IEnumerable<string> traits = _traits.Select(
            pair => string.Create(CultureInfo.InvariantCulture, $"{pair.Key} {pair.Value}"));
        text.Append("runs with: ").AppendJoin(", ", traits).Append('\n');
        text.Append("slowest: ").AppendJoin(", ", Slowest.Select(run => string.Create(
            CultureInfo.InvariantCulture, $"{run.Seed} ({run.Nodes} nodes) {run.Time.TotalSeconds:F1} s")))
                .Append('\n');
        text.Append(_marks);
        text.Append(CultureInfo.InvariantCulture, $"{_failures.Count} violations\n");
        foreach ((ulong seed, string failure) in _failures)
            text.Append(CultureInfo.InvariantCulture, $"  {seed}: {failure}\n");
        return text.ToString();
    }

    internal void Add(RunSpec spec, RunResult result, TimeSpan cost)
    {
        _marks.Add(result.Marks);
        lock (_gate)
        {
            Runs++;
            _traces[spec.Options.Seed] = result.Trace;
            VirtualTime += result.Elapsed;
            NodeTime += result.Elapsed * (spec.Options.Nodes - spec.Options.Absent.Count);
            Cost += cost;
            Events += result.Events;
            Delivered += result.Delivered;
            PacketFaults += result.PacketFaults;
            foreach (string trait in spec.Traits) _traits[trait] = _traits.GetValueOrDefault(trait) + 1;
            if (spec.Faults.Count == 0) _traits["NoFaults"] = _traits.GetValueOrDefault("NoFaults") + 1;
            Slowest.Add((spec.Options.Seed, cost, spec.Options.Nodes));
            Slowest.Sort((left, right) => right.Time.CompareTo(left.Time));
            if (Slowest.Count > 5) Slowest.RemoveAt(5);
        }
    }

    internal void AddTwice()
    {
        lock (_gate) Twice++;
    }

    internal void AddFailure(ulong seed, string failure)
    {
        lock (_gate) _failures[seed] = failure;
    }
}
