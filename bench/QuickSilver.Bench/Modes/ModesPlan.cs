using QuickSilver.Bench.Lab;
using QuickSilver.Bench.Reports;
using QuickSilver.Bench.Roles;
using QuickSilver.Bench.Runs;

namespace QuickSilver.Bench.Modes;

/// <summary>One run of groups of some modes, all joined by all members, in a network of its own, judged by what each
/// mode promises.</summary>
internal sealed record ModesPlan
{
    private const int MembershipPort = 14_999;
    private const int TcpPort = 15_999;

    public required NetProfile Net { get; init; }

    public int Members { get; init; } = 8;

    /// <summary>Bytes of a message.</summary>
    public int Size { get; init; } = 200;

    /// <summary>Share of packets that vanish before each member, on its own.</summary>
    public double Drop { get; init; }

    public required IReadOnlyList<ModeOrder> Modes { get; init; }

    /// <summary>True: no QuickSilver. The same messages go over a TCP connection between every two members.</summary>
    public bool IsTcp { get; init; }

    public double WarmUpSeconds { get; init; }

    public double MeasuredSeconds { get; init; }

    /// <summary>Whether the network drops; otherwise members drop datagrams themselves.</summary>
    public bool DropsByNetwork => Net is NetProfile.Bridge or NetProfile.Wire;

    /// <summary>Runs it.</summary>
    /// <param name="run">Filled in and returned.</param>
    /// <param name="ct">Ends it.</param>
    public async Task<RunReport> RunAsync(RunReport run, CancellationToken ct)
    {
        using NetworkLab lab = NetworkLab.Make(
            Net, Members + 1, DropsByNetwork ? Drop : 0, member => member < Members);
        List<RoleStart> starts = IsTcp ? [] : [Start(lab, Members, RoleKind.Host, "host")];
        RoleKind member = IsTcp ? RoleKind.ModesTcpMember : RoleKind.ModesMember;
        for (int number = 0; number < Members; number++)
            starts.Add(Start(lab, number, member, $"member-{number + 1}"));
        run = await LabRunner.RunAsync(run, lab, starts, null, ct);
        return run with { Failures = [.. run.Failures, .. run.Processes.SelectMany(Faults), .. Lost(run)] };
    }

    private static IEnumerable<string> Faults(ProcessReport process)
    {
        foreach (ModeReport mode in process.Modes ?? [])
        {
            bool isOrdered = mode.Mode != GroupMode.Lateral;
            if (mode.Measured == 0 && mode.Delivered == 0 && mode.Sent == 0)
                yield return $"{process.Process} got nothing in {mode.Mode} groups";
            if (mode.Damaged + mode.Twice > 0 || (isOrdered && mode.Overtaken > 0))
            {
                yield return $"{process.Process}, {mode.Mode}: {mode.Damaged} damaged, {mode.Twice} twice, "
                    + $"{mode.Overtaken} overtaken";
            }
        }
    }

    // What did not come must have been reported, and in reliable groups all comes.
    private static IEnumerable<string> Lost(RunReport run)
    {
        foreach (ModeFigures figures in ModeFigures.Of(run))
        {
            if (figures.Lost > figures.ReportedLost)
                yield return $"{figures.Mode}: {figures.Lost} lost, {figures.ReportedLost} of them reported";
        }
    }

    private RoleStart Start(NetworkLab lab, int member, RoleKind role, string name)
    {
        var order = new RoleOrder
        {
            Role = role,
            Name = name,
            Number = member,
            Receivers = Members,
            Size = Size,
            WarmUpSeconds = WarmUpSeconds,
            MeasuredSeconds = MeasuredSeconds,
            CompilesOnce = true,
            Drop = DropsByNetwork || role == RoleKind.Host ? 0 : Drop,
            Modes = Modes,
            Cluster = $"modes-{Environment.ProcessId}",
            MembershipPort = lab.PortOf(MembershipPort),
            MembershipServer = lab.HasMachines ? $"{lab.AddressOf(Members)}:{MembershipPort}" : null,
            Address = lab.AddressOf(member),
            Peers = IsTcp ? [.. Enumerable.Range(0, Members).Select(lab.AddressOf)] : [],
            TcpPort = lab.PortOf(TcpPort),
        };
        return new RoleStart(order, new RoleLaunch { Prefix = lab.PrefixOf(member) });
    }
}
