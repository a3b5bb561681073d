using QuickSilver.Bench.Lab;
using QuickSilver.Bench.Reports;
using QuickSilver.Bench.Roles;
using QuickSilver.Bench.Runs;

namespace QuickSilver.Bench.Streams;

/// <summary>One run of several senders to one group, in a network of its own, judged by what every receiver must
/// get.</summary>
internal sealed record StreamPlan
{
    private const int MembershipPort = 14_999;

    public required NetProfile Net { get; init; }

    public int Senders { get; init; } = 1;

    public int Receivers { get; init; } = 3;

    /// <summary>Bytes of a message.</summary>
    public int Size { get; init; } = 1000;

    /// <summary>Messages a second of each sender; 0: full speed.</summary>
    public double Rate { get; init; }

    public double WarmUpSeconds { get; init; }

    public double MeasuredSeconds { get; init; }

    /// <summary>Runs it.</summary>
    /// <param name="run">Filled in and returned.</param>
    /// <param name="ct">Ends it.</param>
    /// <param name="meanwhile">Begun with the run, to do something to its processes.</param>
    public async Task<RunReport> RunAsync(
        RunReport run, CancellationToken ct, Func<IReadOnlyList<RoleProcess>, Task>? meanwhile = null)
    {
        int host = Senders + Receivers;
        using NetworkLab lab = NetworkLab.Make(Net, host + 1, 0, _ => false);
        List<RoleStart> starts = [Start(lab, host, RoleKind.Host, "host", 0)];
        for (int number = 0; number < Senders; number++)
            starts.Add(Start(lab, number, RoleKind.StreamSender, $"sender-{number + 1}", number));
        for (int number = 0; number < Receivers; number++)
        {
            starts.Add(Start(lab, Senders + number, RoleKind.StreamReceiver, $"receiver-{number + 1}", number));
        }
        run = await LabRunner.RunAsync(run, lab, starts, null, ct, meanwhile);
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

    private RoleStart Start(NetworkLab lab, int member, RoleKind role, string name, int number)
    {
        var order = new RoleOrder
        {
            Role = role,
            Name = name,
            Number = number,
            Senders = Senders,
            Receivers = Receivers,
            Size = Size,
            WarmUpSeconds = WarmUpSeconds,
            MeasuredSeconds = MeasuredSeconds,
            Rate = Rate,
            Cluster = $"streams-{Environment.ProcessId}",
            MembershipPort = lab.PortOf(MembershipPort),
            MembershipServer = lab.HasMachines ? $"{lab.AddressOf(Senders + Receivers)}:{MembershipPort}" : null,
            Address = lab.AddressOf(member),
        };
        return new RoleStart(order, new RoleLaunch { Prefix = lab.PrefixOf(member) });
    }
}
