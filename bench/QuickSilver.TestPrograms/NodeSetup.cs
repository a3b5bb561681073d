namespace QuickSilver.TestPrograms;

/// <summary>What the shared part of the command line said.</summary>
internal sealed record NodeSetup
{
    /// <summary>The groups to join, each once.</summary>
    public required IReadOnlyList<string> GroupNames { get; init; }

    public required QuickSilverOptions Options { get; init; }

    /// <summary>How many messages have to come; 0: any number.</summary>
    public long Expect { get; init; }

    public TimeSpan Timeout { get; init; }

    public OutputKind Output { get; init; }

    public string? JsonPath { get; init; }

    /// <summary>Whether to end with standard input.</summary>
    public bool IsTied { get; init; }
}
