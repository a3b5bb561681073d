namespace QuickSilver.Bench.Reports;

/// <summary>What the curves of a disturbance come to.</summary>
/// <param name="Name">Which.</param>
/// <param name="CalmRate">Messages a second before it, all senders together.</param>
/// <param name="DisturbedRate">Messages a second from its beginning to the end of the run.</param>
/// <param name="WitnessRate">The same, as delivered at a member that nothing is done to.</param>
/// <param name="Oscillation">Standard deviation over mean of the witness's rate in bins of a second, from the
/// disturbance on.</param>
internal sealed record DisturbanceReport(
    string Name, double CalmRate, double DisturbedRate, double WitnessRate, double Oscillation)
{
    /// <summary>Share of the throughput that the disturbance cost.</summary>
    public double Loss => CalmRate > 0 ? 1 - (DisturbedRate / CalmRate) : 0;
}
