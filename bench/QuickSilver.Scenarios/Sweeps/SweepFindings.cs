using QuickSilver.Bench.Peers;
using QuickSilver.Bench.Reports;
using QuickSilver.Bench.Runs;

namespace QuickSilver.Scenarios.Sweeps;

/// <summary>All runs of a sweep.</summary>
/// <param name="Axis">What was varied.</param>
/// <param name="Peers">What was measured.</param>
/// <param name="Points">Where.</param>
/// <param name="Runs">In the order in which they ran.</param>
/// <param name="Rate">Messages a second of the runs at a fixed rate; 0: there are none.</param>
internal sealed record SweepFindings(
    string Axis, IReadOnlyList<Peer> Peers, IReadOnlyList<SweepPoint> Points, List<RunReport> Runs, double Rate)
{
    /// <summary>The runs of a system in a setting that were measured.</summary>
    /// <param name="peer">The system.</param>
    /// <param name="setting">The setting's text.</param>
    /// <param name="offered">Messages a second asked for; 0: full speed.</param>
    public List<RunReport> Of(Peer peer, string setting, double offered) =>
        [
            .. Runs
                .Where(run => run.Variant == peer.Name && run.Setting == setting && run.OfferedRate == offered)
                .Where(run => run.Skipped is null && RunOutcome.Receivers(run).Any()),
        ];
}
