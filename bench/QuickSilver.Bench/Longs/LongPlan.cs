using QuickSilver.Bench.Lab;
using QuickSilver.Bench.Reports;
using QuickSilver.Bench.Roles;
using QuickSilver.Bench.Runs;

namespace QuickSilver.Bench.Longs;

/// <summary>One run of a long message to some receivers, in a network of its own, judged by its bytes and by what each
/// end of it needed.</summary>
internal sealed record LongPlan
{
    private const int MembershipPort = 14_999;
    private const double LeastBytesPerSecond = 2e6;

    public required NetProfile Net { get; init; }

    public int Receivers { get; init; } = 3;

    /// <summary>Bytes of the message.</summary>
    public long Bytes { get; init; }

    /// <summary>Share of packets that vanish before each member.</summary>
    public double Drop { get; init; }

    /// <summary>Bytes by which a process may grow at most.</summary>
    public long MostGrowth { get; init; }

    /// <summary>Whether the network drops; otherwise members drop datagrams themselves.</summary>
    public bool DropsByNetwork => Net is NetProfile.Bridge or NetProfile.Wire;

    /// <summary>Runs it.</summary>
    /// <param name="run">Filled in and returned.</param>
    /// <param name="ct">Ends it.</param>
    public async Task<RunReport> RunAsync(RunReport run, CancellationToken ct)
    {
        int host = 1 + Receivers;
        using NetworkLab lab = NetworkLab.Make(
            Net, host + 1, DropsByNetwork ? Drop : 0, member => member < host);
        List<RoleStart> starts = [Start(lab, host, RoleKind.Host, "host")];
        starts.Add(Start(lab, 0, RoleKind.LongSender, "sender"));
        for (int number = 1; number <= Receivers; number++)
            starts.Add(Start(lab, number, RoleKind.LongReceiver, $"receiver-{number}"));
        run = await LabRunner.RunAsync(run, lab, starts, null, ct);
        return run with { Failures = [.. run.Failures, .. run.Processes.SelectMany(Faults)] };
    }

    private IEnumerable<string> Faults(ProcessReport process)
    {
        if (process.Long is not { } report) yield break;
        if (report.Fault is { } fault) yield return $"{process.Process}: {fault}";
        if (report.GrowthBytes > MostGrowth)
            yield return $"{process.Process} grew by {report.GrowthBytes} bytes, more than {MostGrowth}";
    }

    private RoleStart Start(NetworkLab lab, int member, RoleKind role, string name)
    {
        var order = new RoleOrder
        {
            Role = role,
            Name = name,
            Number = member,
            Receivers = Receivers,
            LongBytes = Bytes,
            // How long it may take.
            MeasuredSeconds = Bytes / LeastBytesPerSecond,
            Drop = DropsByNetwork || role == RoleKind.Host ? 0 : Drop,
            Cluster = $"long-{Environment.ProcessId}",
            MembershipPort = lab.PortOf(MembershipPort),
            MembershipServer = lab.HasMachines ? $"{lab.AddressOf(1 + Receivers)}:{MembershipPort}" : null,
            Address = lab.AddressOf(member),
        };
        return new RoleStart(order, new RoleLaunch { Prefix = lab.PrefixOf(member) });
    }
}
