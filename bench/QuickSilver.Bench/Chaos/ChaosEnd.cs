namespace QuickSilver.Bench.Chaos;

/// <summary>What the driver of a chaos run knows that the logs do not.</summary>
internal sealed record ChaosEnd
{
    /// <summary>When the last fault was over, in Stopwatch ticks.</summary>
    public long LastFault { get; init; }

    /// <summary>The newest process of each node, from 1; 0: the node was not part of the run.</summary>
    public IReadOnlyList<int> LastProcesses { get; init; } = [];

    /// <summary>Seconds from the last fault until every sender had a confirmation from each of its groups; null: it
    /// never had.</summary>
    public double? Confirmed { get; init; }

    /// <summary>What went wrong in the run itself.</summary>
    public IReadOnlyList<string> Failures { get; init; } = [];

    /// <summary>What was done, by kind.</summary>
    public IReadOnlyDictionary<ChaosFaultKind, int> Done { get; init; } = new Dictionary<ChaosFaultKind, int>();
}
