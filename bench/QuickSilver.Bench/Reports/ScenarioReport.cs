using QuickSilver.Bench.Agents;

namespace QuickSilver.Bench.Reports;

/// <summary>What a scenario found, as <c>--json</c> writes it.</summary>
internal sealed record ScenarioReport
{
    public required string Scenario { get; init; }

    public required DateTimeOffset Started { get; init; }

    public required BuildReport Build { get; init; }

    public required MachineReport Machine { get; init; }

    /// <summary>The hosts of its agents, the sender's first; null: it ran on this machine.</summary>
    public IReadOnlyList<HostFacts>? Hosts { get; init; }

    /// <summary>The command line's options, defaults included.</summary>
    public required IReadOnlyDictionary<string, string> Options { get; init; }

    public required IReadOnlyList<VariantSummary> Summary { get; init; }

    public required IReadOnlyList<RunReport> Runs { get; init; }

    /// <summary>Whether every run was verified.</summary>
    public bool Verified { get; init; }
}
