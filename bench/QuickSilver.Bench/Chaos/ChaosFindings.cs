namespace QuickSilver.Bench.Chaos;

/// <summary>What a chaos run came to.</summary>
internal sealed record ChaosFindings
{
    /// <summary>Messages read by all members together.</summary>
    public long Messages { get; init; }

    /// <summary>Losses told.</summary>
    public long Losses { get; init; }

    /// <summary>Incarnations that were.</summary>
    public int Lives { get; init; }

    /// <summary>Times a node learned that it had been removed.</summary>
    public int Evictions { get; init; }

    /// <summary>Confirmed sends that returned.</summary>
    public int Confirmations { get; init; }

    /// <summary>From the last fault until a message of every living sender had reached every member of each of its
    /// groups.</summary>
    public double RecoveredSeconds { get; init; }

    /// <summary>From the last fault until every sender had a confirmation from each of its groups.</summary>
    public double ConfirmedSeconds { get; init; }

    /// <summary>What is wrong; empty: nothing.</summary>
    public IReadOnlyList<string> Violations { get; init; } = [];
}
