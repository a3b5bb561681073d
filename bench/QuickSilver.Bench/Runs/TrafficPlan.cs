using QuickSilver.Bench.Agents;
using QuickSilver.Bench.Lab;
using QuickSilver.Bench.Peers;
using QuickSilver.Bench.Processes;
using QuickSilver.Bench.Reports;
using QuickSilver.Bench.Roles;

namespace QuickSilver.Bench.Runs;

/// <summary>What a scenario that moves messages was told.</summary>
internal sealed record TrafficPlan
{
    public required IReadOnlyList<TrafficVariant> Variants { get; init; }

    public int Receivers { get; init; }

    public int Groups { get; init; }

    public int Size { get; init; }

    public double WarmUpSeconds { get; init; }

    public double MeasuredSeconds { get; init; }

    public int Repetitions { get; init; }

    public SendStyle Send { get; init; }

    public TransportKind Transport { get; init; }

    public double SpinMicros { get; init; }

    public double Drop { get; init; }

    public int TrainLength { get; init; }

    public required string RawGroup { get; init; }

    /// <summary>Whether the processes' methods are compiled once (<see cref="RoleOrder.CompilesOnce"/>).</summary>
    public bool CompilesOnce { get; init; }

    /// <summary>Whether the processes note what memory they hold.</summary>
    public bool NotesMemory { get; init; }

    /// <summary>Where they do: seconds between forced collections; 0: none.</summary>
    public double CollectSeconds { get; init; }

    /// <summary>The hosts on which the processes run; null: this machine.</summary>
    public AgentCluster? Agents { get; init; }

    /// <summary>Every variant at every rate, repeated; interleaved, so that a change in the machine's mood meets all of
    /// them.</summary>
    /// <param name="rates">Messages a second; 0: full speed.</param>
    /// <param name="ct">Ends it.</param>
    public async Task<List<RunReport>> RunAsync(IReadOnlyList<double> rates, CancellationToken ct)
    {
        var runs = new List<RunReport>();
        int all = Repetitions * rates.Count * Variants.Count;
        for (int repetition = 1; repetition <= Repetitions; repetition++)
        {
            foreach (double rate in rates)
            {
                foreach (TrafficVariant variant in Variants)
                {
                    RunReport run = await RunAsync(variant, rate, repetition, ct);
                    runs.Add(Judge(run, variant));
                    RunOutcome.Tell(runs[^1], runs.Count, all);
                }
            }
        }
        return runs;
    }

    private Task<RunReport> RunAsync(TrafficVariant variant, double rate, int repetition, CancellationToken ct)
    {
        var run = new RunReport { Variant = variant.Text, OfferedRate = rate, Repetition = repetition };
        bool isRaw = variant.IsRaw;
        var common = new RoleOrder
        {
            Role = isRaw ? RoleKind.RawSender : RoleKind.Sender,
            Name = "sender",
            Receivers = Receivers,
            Groups = isRaw ? 1 : Groups,
            Size = Size,
            WarmUpSeconds = WarmUpSeconds,
            MeasuredSeconds = MeasuredSeconds,
            Rate = rate,
            Send = Send,
            Transport = Transport,
            SpinMicros = SpinMicros,
            SharesMemory = variant.Kind != Variant.QuickSilverUdp,
            DatagramBytes = variant.DatagramBytes,
            Key = variant.Security.Make(),
            RawGroup = RawGroup,
            RawPort = isRaw ? FreePort.Find() : 0,
            FeedbackPort = isRaw ? FreePort.Find() : 0,
            TrainLength = variant.Kind == Variant.RawTrains ? TrainLength : 1,
            CompilesOnce = CompilesOnce,
            NotesMemory = NotesMemory,
            CollectSeconds = CollectSeconds,
        };
        List<RoleOrder> orders = [common];
        for (int number = 0; number < Receivers; number++)
        {
            RoleKind role = isRaw ? RoleKind.RawReceiver : RoleKind.Receiver;
            orders.Add(common with { Role = role, Name = $"receiver-{number + 1}", Number = number, Drop = Drop });
        }
        if (Agents is not null) return RunOnAgentsAsync(run, orders, ct);
        return isRaw ? ClusterRunner.RunAsync(run, orders, ct) : ClusterRunner.RunClusterAsync(run, orders, ct);
    }

    private async Task<RunReport> RunOnAgentsAsync(
        RunReport run, IReadOnlyList<RoleOrder> orders, CancellationToken ct)
    {
        bool isRaw = orders[0].Role == RoleKind.RawSender;
        try
        {
            using ILab lab = Agents!.LabFor(Receivers, isRaw || Transport == TransportKind.Multicast);
            List<RoleStart> starts = [.. orders.Select((order, member) => Place(lab, member, order))];
            if (!isRaw)
            {
                RoleOrder host = orders[0] with { Role = RoleKind.Host, Name = "host" };
                starts.Insert(0, Place(lab, Receivers + 1, host));
            }
            return await LabRunner.RunAsync(run, lab, starts, null, ct);
        }
        catch (RunFailedException failure)
        {
            return run with { Failures = [failure.Message] };
        }
    }

    private RoleStart Place(ILab lab, int member, RoleOrder order) => new(
        order with
        {
            Cluster = $"scenario-{Environment.ProcessId}",
            EchoEvery = lab.EchoEvery(order.Rate),
            Address = lab.AddressOf(member),
            ServerAddress = lab.AddressOf(0),
            MembershipPort = lab.PortOf(QuickSilverPeer.MembershipPort),
            MembershipServer = $"{lab.AddressOf(Receivers + 1)}:{lab.PortOf(QuickSilverPeer.MembershipPort)}",
            RawPort = lab.PortOf(RawPeer.Port),
            FeedbackPort = lab.PortOf(RawPeer.FeedbackPort),
        },
        lab.LaunchAt(member, new RoleLaunch()));

    // The raw loops promise nothing about loss and order: theirs is in the report, for the reader to judge.
    private static RunReport Judge(RunReport run, TrafficVariant variant)
    {
        List<string> failures = [.. run.Failures];
        foreach (ProcessReport process in run.Processes.Where(
            process => process.Role is nameof(RoleKind.Receiver) or nameof(RoleKind.RawReceiver)))
        {
            if (process.Damaged > 0)
                failures.Add($"{process.Process} got {process.Damaged} damaged or misdirected messages");
            if (process.Measured == 0) failures.Add($"{process.Process} got no message of the measured part");
            if (variant.IsRaw) continue;
            if (process.Lost > 0) failures.Add($"{process.Process} did not get {process.Lost} messages");
            if (process.OutOfOrder > 0)
                failures.Add($"{process.Process} got {process.OutOfOrder} messages out of order or twice");
        }
        return run with { Failures = failures, RateNotKept = RateJudge.NotKept(run) };
    }
}
