using QuickSilver.Bench.Lab;
using QuickSilver.Bench.Reports;
using QuickSilver.Bench.Roles;
using QuickSilver.Bench.Runs;

namespace QuickSilver.Bench.Overlaps;

/// <summary>One run of a pattern of groups over real sockets, in a network of its own, judged by what every member of
/// every group must get.</summary>
internal sealed record OverlapPlan
{
    private const int MembershipPort = 14_999;

    // More addresses than a node may have groups with addresses, and regions beside them.
    private const string Pool = "239.192.64.0/22";

    public required NetProfile Net { get; init; }

    public required OverlapOrder Overlap { get; init; }

    /// <summary>Regions above which similar ones are merged; 0: they are exact.</summary>
    public int MaxRegions { get; init; }

    /// <summary>Bytes of a message.</summary>
    public int Size { get; init; } = 1000;

    /// <summary>Messages a second of each node; 0: full speed.</summary>
    public double Rate { get; init; }

    public double WarmUpSeconds { get; init; }

    public double MeasuredSeconds { get; init; }

    /// <summary>Runs it.</summary>
    /// <param name="run">Filled in and returned.</param>
    /// <param name="ct">Ends it.</param>
    public async Task<RunReport> RunAsync(RunReport run, CancellationToken ct)
    {
        int processes = Overlap.Nodes / Overlap.NodesAProcess;
        using NetworkLab lab = NetworkLab.Make(Net, processes + 1, 0, static _ => false);
        List<RoleStart> starts = [Start(lab, processes, RoleKind.Host, "host")];
        for (int number = 0; number < processes; number++)
            starts.Add(Start(lab, number, RoleKind.OverlapMember, $"process-{number + 1}"));
        run = await LabRunner.RunAsync(run, lab, starts, null, ct);
        return run with { Failures = [.. run.Failures, .. Faults(run)] };
    }

    private IEnumerable<string> Faults(RunReport run)
    {
        OverlapReport[] reports = [.. run.Processes.Select(static process => process.Overlap).OfType<OverlapReport>()];
        if (reports.Length == 0) yield break;
        long faults = reports.Sum(static report => report.Faults);
        if (faults > 0) yield return $"{faults} messages damaged, misdirected or out of order";
        OverlapPattern pattern = Overlap.Make();
        long lost = 0;
        for (int group = 0; group < Overlap.Groups; group++)
        {
            long expected = reports.Sum(report => report.Sent[group]) * (pattern.Members[group].Length - 1);
            lost += Math.Abs(expected - reports.Sum(report => report.Delivered[group]));
        }
        if (lost > 0) yield return $"{lost} deliveries are missing, or were too many";
        if (reports.Sum(static report => report.MeasuredDelivered) == 0) yield return "nothing was delivered";
    }

    private RoleStart Start(NetworkLab lab, int member, RoleKind role, string name)
    {
        var order = new RoleOrder
        {
            Role = role,
            Name = name,
            Number = member,
            Overlaps = Overlap,
            Size = Size,
            Rate = Rate,
            WarmUpSeconds = WarmUpSeconds,
            MeasuredSeconds = MeasuredSeconds,
            MaxRegions = MaxRegions,
            MostHybrid = Overlap.Hybrid.Length,
            MulticastPool = Pool,
            SharesMemory = false,
            Cluster = $"overlap-{Environment.ProcessId}",
            MembershipPort = lab.PortOf(MembershipPort),
            MembershipServer = lab.HasMachines
                ? $"{lab.AddressOf(Overlap.Nodes / Overlap.NodesAProcess)}:{MembershipPort}" : null,
            Address = lab.AddressOf(member),
        };
        return new RoleStart(order, new RoleLaunch { Prefix = lab.PrefixOf(member) });
    }
}
