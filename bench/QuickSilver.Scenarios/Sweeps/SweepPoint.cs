using QuickSilver.Bench.Peers;

namespace QuickSilver.Scenarios.Sweeps;

/// <summary>One place on the axis of a sweep.</summary>
/// <param name="X">For the plot.</param>
/// <param name="Label">For the table.</param>
/// <param name="Setting">In which all variants are measured there.</param>
internal sealed record SweepPoint(double X, string Label, PeerSetting Setting)
{
    /// <summary>In which they are measured there at a fixed rate; null: they are not.</summary>
    public PeerSetting? RateSetting { get; init; }
}
