using QuickSilver.Bench.Processes;
using QuickSilver.Scenarios.Reports;
using QuickSilver.Scenarios.Roles;

namespace QuickSilver.Scenarios.Runs;

/// <summary>What a scenario that moves messages was told.</summary>
internal sealed record TrafficPlan
{
    public required IReadOnlyList<Variant> Variants { get; init; }

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
                foreach (Variant variant in Variants)
                {
                    RunReport run = await RunAsync(variant, rate, repetition, ct);
                    runs.Add(Judge(run, variant));
                    RunOutcome.Tell(runs[^1], runs.Count, all);
                }
            }
        }
        return runs;
    }

    private Task<RunReport> RunAsync(Variant variant, double rate, int repetition, CancellationToken ct)
    {
        var run = new RunReport { Variant = variant.Text(), OfferedRate = rate, Repetition = repetition };
        bool isRaw = variant is Variant.RawSingle or Variant.RawTrains;
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
            SharesMemory = variant != Variant.QuickSilverUdp,
            RawGroup = RawGroup,
            RawPort = isRaw ? FreePort.Find() : 0,
            FeedbackPort = isRaw ? FreePort.Find() : 0,
            TrainLength = variant == Variant.RawTrains ? TrainLength : 1,
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
        return isRaw ? ClusterRunner.RunAsync(run, orders, ct) : ClusterRunner.RunClusterAsync(run, orders, ct);
    }

    // The raw loops promise nothing about loss and order: theirs is in the report, for the reader to judge.
    private static RunReport Judge(RunReport run, Variant variant)
    {
        List<string> failures = [.. run.Failures];
        foreach (ProcessReport process in run.Processes.Where(
            process => process.Role is nameof(RoleKind.Receiver) or nameof(RoleKind.RawReceiver)))
        {
            if (process.Damaged > 0)
                failures.Add($"{process.Process} got {process.Damaged} damaged or misdirected messages");
            if (process.Measured == 0) failures.Add($"{process.Process} got no message of the measured part");
            if (variant is Variant.RawSingle or Variant.RawTrains) continue;
            if (process.Lost > 0) failures.Add($"{process.Process} did not get {process.Lost} messages");
            if (process.OutOfOrder > 0)
                failures.Add($"{process.Process} got {process.OutOfOrder} messages out of order or twice");
        }
        return run with { Failures = failures };
    }
}
