using QuickSilver.Bench.Agents;
using QuickSilver.Bench.Reports;
using Spectre.Console.Rendering;

namespace QuickSilver.Scenarios.Verbs;

/// <summary>What a scenario found.</summary>
/// <param name="Runs">Every run.</param>
/// <param name="Summary">Figures over the repetitions.</param>
/// <param name="Table">The result as text.</param>
internal sealed record ScenarioOutcome(
    IReadOnlyList<RunReport> Runs, IReadOnlyList<VariantSummary> Summary, IRenderable Table)
{
    /// <summary>The hosts that it ran on; null: this machine.</summary>
    public IReadOnlyList<HostFacts>? Hosts { get; init; }
}
