namespace QuickSilver.Testing.Runs.Generation;

/// <summary>Bounds for what the generator may draw.</summary>
internal sealed record GeneratorOptions
{
    /// <summary>Fewest machines.</summary>
    public int MinNodes { get; init; } = 2;

    /// <summary>Most machines.</summary>
    public int MaxNodes { get; init; } = 110;

    /// <summary>Longest first phase.</summary>
    public TimeSpan MaxLength { get; init; } = TimeSpan.FromSeconds(90);

    /// <summary>Shortest first phase.</summary>
    public TimeSpan MinLength { get; init; } = TimeSpan.FromSeconds(20);

    /// <summary>Kinds of trouble that no run has.</summary>
    public IReadOnlyList<FaultKind> Without { get; init; } = [];

    /// <summary>True: nodes that send may crash, freeze for long, or be removed otherwise; false: only those that never
    /// send.</summary>
    public bool SendersMayGo { get; init; } = true;

    /// <summary>True: nodes may be deaf or mute for longer than the detector's patience, and for ever.</summary>
    public bool MembersMayBeStuck { get; init; } = true;

    /// <summary>Whether groups of other modes than reliable may be drawn.</summary>
    public bool Modes { get; init; } = true;

    /// <summary>Whether some groups of every run are ordered.</summary>
    public bool Ordered { get; init; }
}
