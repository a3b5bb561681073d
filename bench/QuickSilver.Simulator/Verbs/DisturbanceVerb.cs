using System.CommandLine;
using System.Globalization;
using System.Text;
using System.Text.Json;
using QuickSilver.Testing.Disturbances;

namespace QuickSilver.Simulator.Verbs;

/// <summary>Runs one of the papers' disturbances, or all, and writes curve and findings.</summary>
internal static class DisturbanceVerb
{
    private static readonly JsonSerializerOptions Indented = new() { WriteIndented = true };

    public static Command Make()
    {
        var name = new Argument<string>("NAME")
        {
            Description = "Which: " + string.Join(", ", PaperDisturbances.All.Select(spec => spec.Name)) + ", or all.",
        };
        var json = new Option<FileInfo?>("--json")
        {
            Description = "Write the findings to this file; with all, NAME is put before its extension.",
            HelpName = "FILE",
        };
        var csv = new Option<FileInfo?>("--csv")
        {
            Description = "Write the curve to this file; with all, NAME is put before its extension.",
            HelpName = "FILE",
        };
        var nodes = new Option<int?>("--nodes") { Description = "So many nodes instead.", HelpName = "N" };
        var seconds = new Option<double?>("--seconds") { Description = "So long a run instead.", HelpName = "S" };
        var rate =
            new Option<int?>("--rate")
            {
                Description = "So many messages a second of each sender instead; 0: as fast as it can.",
                HelpName = "R"
            };
        var seed = new Option<ulong>("--seed") { Description = "Seed.", DefaultValueFactory = _ => 1 };
        var command = new Command(
            "disturbance", "One of the papers' disturbances at 110 nodes, with their processors and network.")
        {
            name, json, csv, nodes, seconds, rate, seed,
        };
        command.SetAction(parsed =>
        {
            string wanted = parsed.GetValue(name)!;
            DisturbanceSpec[] specs = [.. PaperDisturbances.All.Where(spec => wanted == "all" || wanted == spec.Name)];
            if (specs.Length == 0)
            {
                Console.Error.WriteLine($"No disturbance is named {wanted}.");
                return 2;
            }
            int least = specs.Max(spec => spec.LeastNodes);
            if (parsed.GetValue(nodes) < least)
            {
                Console.Error.WriteLine($"--nodes is at least {least}: senders, the node that suffers, and a witness.");
                return 2;
            }
            bool good = true;
            foreach (DisturbanceSpec spec in specs)
            {
                DisturbanceResult result = Disturbance.Run(spec with
                {
                    Seed = parsed.GetValue(seed),
                    Nodes = parsed.GetValue(nodes) ?? spec.Nodes,
                    Rate = parsed.GetValue(rate) ?? spec.Rate,
                    Duration = parsed.GetValue(seconds) is { } length ? TimeSpan.FromSeconds(length) : spec.Duration,
                });
                Console.WriteLine(Describe(result));
                bool many = specs.Length > 1;
                if (parsed.GetValue(json) is { } jsonFile)
                {
                    File.WriteAllText(
                        Name(jsonFile, spec, many), JsonSerializer.Serialize(Findings(result), Indented) + "\n");
                }
                if (parsed.GetValue(csv) is { } csvFile) File.WriteAllText(Name(csvFile, spec, many), Table(result));
                good &= result.Settled;
            }
            return good ? 0 : 1;
        });
        return command;
    }

    private static string Name(FileInfo file, DisturbanceSpec spec, bool many) =>
        many ? Path.ChangeExtension(file.FullName, $"{spec.Name}{file.Extension}") : file.FullName;

    private static string Describe(DisturbanceResult result) => string.Create(
        CultureInfo.InvariantCulture,
        $"{result.Spec.Name}: {result.Spec.Paper}\n"
        + $"  rate calm {result.CalmRate:F0}/s, disturbed {result.DisturbedRate:F0}/s, loss "
        + $"{result.ThroughputLoss:P1}, "
        + $"delay {result.CumulativeDelay.TotalSeconds:F2} s, oscillation {result.Oscillation:P1}\n"
        + $"  pending at most {result.MostPending}, recovered {result.Recovered?.TotalSeconds:F1} s after the last "
        + $"fault, "
        + $"{(result.Settled ? "settled" : "NOT SETTLED")}\n"
        + $"  latency calm {result.CalmLatency.TotalMilliseconds:F1} ms, at the witness "
        + $"{result.WitnessLatency.TotalMilliseconds:F1} ms, "
        + $"at the victim {result.VictimLatency.TotalMilliseconds:F1} ms\n"
        + $"  victim missed {result.VictimRepairs.Missed}, had {result.VictimRepairs.FromPeers} from peers "
        + $"and {result.VictimRepairs.FromSender} from senders; {result.Speed:F2} virtual s per s");

    private static object Findings(DisturbanceResult result) => new
    {
        result.Spec.Name,
        result.Spec.Paper,
        result.Spec.Nodes,
        result.Spec.Senders,
        result.Spec.Rate,
        result.Spec.MessageBytes,
        result.Spec.Seed,
        Seconds = result.Spec.Duration.TotalSeconds,
        CalmRate = Math.Round(result.CalmRate),
        DisturbedRate = Math.Round(result.DisturbedRate),
        ThroughputLoss = Math.Round(result.ThroughputLoss, 4),
        CumulativeDelaySeconds = Math.Round(result.CumulativeDelay.TotalSeconds, 3),
        Oscillation = Math.Round(result.Oscillation, 4),
        result.MostPending,
        RecoveredSeconds = result.Recovered is { } recovered ? Math.Round(recovered.TotalSeconds, 2) : (double?)null,
        CalmLatencyMilliseconds = Math.Round(result.CalmLatency.TotalMilliseconds, 2),
        WitnessLatencyMilliseconds = Math.Round(result.WitnessLatency.TotalMilliseconds, 2),
        VictimLatencyMilliseconds = Math.Round(result.VictimLatency.TotalMilliseconds, 2),
        VictimMissed = result.VictimRepairs.Missed,
        VictimRepairsFromPeers = result.VictimRepairs.FromPeers,
        VictimRepairsFromSender = result.VictimRepairs.FromSender,
        result.Settled,
    };

    private static string Table(DisturbanceResult result)
    {
        var text = new StringBuilder(
            "time_s,sent_per_s,witness_per_s,victim_per_s,completed_per_s,pending,"
            + "latency_ms,victim_latency_ms,token_round_ms,sender_load,victim_load\n");
        foreach (CurvePoint point in result.Curve)
        {
            text.Append(CultureInfo.InvariantCulture,
                $"{point.Time.TotalSeconds:F2},{point.Sent:F0},{point.Witness:F0},{point.Victim:F0},"
                + $"{point.Completed:F0},{point.Pending},");
            text.Append(CultureInfo.InvariantCulture,
                $"{point.Latency.TotalMilliseconds:F2},{point.VictimLatency.TotalMilliseconds:F2},"
                + $"{point.TokenRound.TotalMilliseconds:F2},");
            text.Append(CultureInfo.InvariantCulture, $"{point.SenderLoad:F3},{point.VictimLoad:F3}\n");
        }
        return text.ToString();
    }
}
