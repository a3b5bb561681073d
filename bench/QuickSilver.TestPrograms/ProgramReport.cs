using QuickSilver.Bench;

namespace QuickSilver.TestPrograms;

/// <summary>What Publisher and Subscriber write with <c>--json</c>.</summary>
internal sealed record ProgramReport
{
    /// <summary>"Publisher" or "Subscriber".</summary>
    public required string Program { get; init; }

    public required string Node { get; init; }

    /// <summary>The node's address and incarnation.</summary>
    public required string Id { get; init; }

    public int ExitCode { get; init; }

    /// <summary>Why the exit code is not zero.</summary>
    public string? Failure { get; init; }

    /// <summary>Groups joined.</summary>
    public int Groups { get; init; }

    /// <summary>Messages that this program sent, and how long that took until all of them were stable.</summary>
    public long Sent { get; init; }

    public double SendSeconds { get; init; }

    /// <summary>What it received and checked.</summary>
    public CheckReport? Check { get; init; }

    /// <summary>The regions that the groups are made of, as this node's views say at the end, before leaving.</summary>
    public IReadOnlyList<RegionReport> Regions { get; init; } = [];

    public required NodeStatistics Statistics { get; init; }

    public required ProcessUsage Usage { get; init; }
}
