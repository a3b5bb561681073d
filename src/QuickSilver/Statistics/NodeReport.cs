namespace QuickSilver;

/// <summary>One node in a <see cref="ClusterSnapshot"/>: the last that it said of itself, and what follows from it. It
/// does not change.</summary>
public sealed record NodeReport
{
    /// <summary>The node's last snapshot.</summary>
    public required NodeSnapshot Snapshot { get; init; }

    /// <summary>Changes a second between the last two snapshots; all 0 after the first one.</summary>
    public NodeRates Rates { get; init; } = new();

    /// <summary>Time since the last snapshot arrived.</summary>
    public TimeSpan Age { get; init; }

    /// <summary>True when no snapshot has come for three seconds: the node is stopped, cut off or very busy.</summary>
    public bool IsSilent { get; init; }
}
