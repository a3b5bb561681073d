using QuickSilver.Bench.Lab;
using QuickSilver.Bench.Reports;
using QuickSilver.Bench.Roles;
using QuickSilver.Bench.Runs;

namespace QuickSilver.Bench.Peers;

/// <summary>Runs every system in every setting, interleaved and repeated, each run in a network of its own.</summary>
internal sealed class PeerBench(IReadOnlyList<Peer> peers, PeerBuild build)
{
    /// <summary>Runs them all.</summary>
    /// <param name="settings">In which settings.</param>
    /// <param name="repetitions">How often each.</param>
    /// <param name="ct">Ends it.</param>
    public async Task<List<RunReport>> RunAsync(
        IReadOnlyList<PeerSetting> settings, int repetitions, CancellationToken ct)
    {
        List<RunReport> runs =
        [
            .. peers
                .Where(peer => peer.WhyMissing(build) is not null)
                .Select(peer => new RunReport { Variant = peer.Name, Skipped = peer.WhyMissing(build) }),
        ];
        List<Peer> present = [.. peers.Where(peer => peer.WhyMissing(build) is null)];
        int all = runs.Count + (repetitions * settings.Sum(setting => present.Count(peer => Fits(peer, setting))));
        for (int repetition = 1; repetition <= repetitions; repetition++)
        {
            foreach (PeerSetting setting in settings)
            {
                foreach (Peer peer in present.Where(peer => Fits(peer, setting)))
                {
                    var run = new RunReport
                    {
                        Variant = peer.Name,
                        Setting = setting.Text,
                        OfferedRate = setting.Rate,
                        Repetition = repetition
                    };
                    runs.Add(Judge(await RunAsync(peer, setting, run, ct), peer));
                    RunOutcome.Tell(runs[^1], runs.Count, all);
                }
            }
        }
        return runs;
    }

    private static bool Fits(Peer peer, PeerSetting setting) => setting.Groups <= 1 || peer.HasGroups;

    private async Task<RunReport> RunAsync(Peer peer, PeerSetting setting, RunReport run, CancellationToken ct)
    {
        // Sender, receivers, and a place for a broker or host; only the receivers drop.
        ILab? lab = null;
        Broker? broker = null;
        try
        {
            if (setting.Agents is { } cluster)
            {
                bool needsMulticast = peer is RawPeer || setting.Transport == TransportKind.Multicast;
                lab = cluster.LabFor(setting.Receivers, needsMulticast);
            }
            else
            {
                var network = NetworkLab.Make(
                    setting.Net, setting.Receivers + 2, setting.Drop,
                    member => member >= 1 && member <= setting.Receivers);
                lab = network;
                broker = peer.StartBroker(setting, network, build);
            }
            return await LabRunner.RunAsync(run, lab, [.. peer.Starts(setting, lab, build)], broker, ct);
        }
        catch (Exception failure) when (failure is InvalidOperationException or RunFailedException
            or System.ComponentModel.Win32Exception)
        {
            return run with { Failures = [failure.Message] };
        }
        finally
        {
            if (broker is not null) await broker.DisposeAsync();
            lab?.Dispose();
        }
    }

    // Only QuickSilver is held to its promise here; what the others lose is in the table, and a run that they do not
    // finish is said to be one.
    private static RunReport Judge(RunReport run, Peer peer)
    {
        if (peer is not QuickSilverPeer)
            return run.Failures.Count == 0
                ? run : run with { Skipped = string.Join("; ", run.Failures), Failures = [] };
        List<string> failures = [.. run.Failures];
        foreach (ProcessReport receiver in RunOutcome.Receivers(run))
        {
            if (receiver.Lost + receiver.OutOfOrder + receiver.Damaged == 0 && receiver.Measured > 0) continue;
            failures.Add(
                $"{receiver.Process}: {receiver.Measured} measured, {receiver.Lost} lost, "
                + $"{receiver.OutOfOrder} out of order, {receiver.Damaged} damaged");
        }
        return run with { Failures = failures };
    }
}
