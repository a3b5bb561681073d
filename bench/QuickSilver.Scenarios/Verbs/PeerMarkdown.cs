using System.Text;
using QuickSilver.Bench.Peers;
using QuickSilver.Bench.Reports;
using QuickSilver.Bench.Roles;
using QuickSilver.Bench.Runs;

namespace QuickSilver.Scenarios.Verbs;

/// <summary>Writes the runs of all systems as Markdown: a table for each setting, and what each system
/// promises.</summary>
internal sealed class PeerMarkdown(IReadOnlyList<Peer> peers, PeerBuild build, List<RunReport> runs)
{
    private const string Own = "quicksilver";

    private readonly StringBuilder _text = new();

    /// <summary>Makes the text.</summary>
    /// <param name="settings">At full speed.</param>
    /// <param name="repetitions">How often each ran.</param>
    public string Make(IReadOnlyList<PeerSetting> settings, int repetitions)
    {
        BuildReport code = BuildReport.Here();
        MachineReport machine = MachineReport.Here();
        Line($"Medians of {repetitions} interleaved repetitions at full speed; messages a second to the slowest "
            + $"receiver. Commit {code.Commit[..Math.Min(7, code.Commit.Length)]}, {machine.Processor}, "
            + $"{machine.Cores} processors, {machine.Runtime}. {RunKeys.Legend}");
        foreach (PeerSetting setting in settings) WriteRates(setting);
        WritePromises();
        return _text.ToString();
    }

    private void WriteRates(PeerSetting setting)
    {
        Line("");
        Line($"| {setting.Text} | messages/s | lowest to highest | QuickSilver to it | CPU us/message | lost |");
        Line("|---|---|---|---|---|---|");
        double own = Rate(Of(setting, Own)).Median;
        foreach (Peer peer in peers.Where(peer => setting.Groups <= 1 || peer.HasGroups))
        {
            List<RunReport> full = Of(setting, peer.Name);
            VariantSummary rate = Rate(full);
            VariantSummary cpu = VariantSummary.Of("", 0, "", full.Select(PeerFigures.CpuMicros));
            string ratio = own > 0 && rate.Median > 0 ? $"{own / rate.Median:N2}" : "-";
            if (full.Count == 0) Line($"| {peer.Name} | {WhyNot(setting, peer)} | | | | |");
            else
            {
                Line($"| {peer.Name} | {rate.Median:N0} | {rate.Lowest:N0} to {rate.Highest:N0} | "
                    + $"{ratio} | {cpu.Median:N2} | "
                    + $"{full.Sum(PeerFigures.Lost):N0} |");
            }
        }
    }

    private void WritePromises()
    {
        Line("");
        Line("| system | version | a lost message is | order | when a receiver crashes | between |");
        Line("|---|---|---|---|---|---|");
        foreach (Peer peer in peers.Where(peer => peer.WhyMissing(build) is null))
        {
            PeerPromise promise = peer.Promise;
            Line($"| {peer.Name} | {peer.Version(build)} | {promise.Delivery} | {promise.Order} | "
                + $"{promise.ReceiverCrash} | {promise.Between} |");
        }
    }

    private string WhyNot(PeerSetting setting, Peer peer) => peer.WhyMissing(build)
        ?? runs.FirstOrDefault(run => run.Variant == peer.Name && run.Setting == setting.Text)?.Skipped?
            .ReplaceLineEndings(" ").Replace('|', '/')
        ?? "not measured";

    private List<RunReport> Of(PeerSetting setting, string peer) =>
    [
        .. runs.Where(run => run.Variant == peer && run.Setting == setting.Text && run.OfferedRate == 0
            && run.Skipped is null && RunOutcome.Receivers(run).Any()),
    ];

    private static VariantSummary Rate(IEnumerable<RunReport> full) =>
        VariantSummary.Of("", 0, "", full.Select(RunOutcome.SlowestRate));

    private void Line(string line) => _text.Append(line).Append('\n');
}
