using System.CommandLine;
using System.Diagnostics;
using System.Globalization;
using QuickSilver.Testing.Runs;
using QuickSilver.Testing.Runs.Generation;

namespace QuickSilver.Simulator.Verbs;

/// <summary>Lets nodes of a large cluster come and go, and says what its membership costs.</summary>
internal static class ChurnVerb
{
    public static Command Make()
    {
        var seeds = new Option<string>("--seeds") { Description = "The seeds: 17, or 1..20.", Required = true };
        var nodes = new Option<int>("--nodes") { Description = "Nodes.", DefaultValueFactory = _ => 1000 };
        var groups = new Option<int>("--groups") { Description = "Groups.", DefaultValueFactory = _ => 200 };
        var kinds = new Option<int>("--kinds")
        { Description = "Different sets of groups, overlapping.", DefaultValueFactory = _ => 20 };
        var seconds = new Option<int>("--seconds")
        { Description = "Virtual seconds of churn.", DefaultValueFactory = _ => 60 };
        var threads = new Option<int>("--threads") { Description = "Threads.", DefaultValueFactory = _ => 1 };
        var command = new Command(
            "churn", "Five percent of many nodes restart each minute; what steps cost the server and the nodes.")
        {
            seeds,
            nodes,
            groups,
            kinds,
            seconds,
            threads,
        };
        command.SetAction(parsed =>
        {
            SeedRange range = SeedRange.Parse(parsed.GetValue(seeds)!);
            int count = parsed.GetValue(nodes);
            var churn = new ChurnRun(count, parsed.GetValue(groups), parsed.GetValue(kinds))
            {
                Duration = TimeSpan.FromSeconds(parsed.GetValue(seconds)),
            };
            int failed = 0;
            Console.WriteLine(
                "| seed | steps | server, ms a step | longest event, ms | bytes to a node | a step | delivered | s |");
            Console.WriteLine("|---|---|---|---|---|---|---|---|");
            var options = new ParallelOptions { MaxDegreeOfParallelism = parsed.GetValue(threads) };
            Parallel.For((long)range.First, (long)(range.First + range.Count), options, seed =>
            {
                var watch = Stopwatch.StartNew();
                RunResult result = RunExecution.Execute(churn.Generate((ulong)seed), ulong.MaxValue);
                MembershipLoad load = result.Membership;
                double steps = Math.Max(1, load.Steps);
                double bytes = (double)load.BytesToNodes / count;
                lock (churn)
                {
                    Console.WriteLine(string.Create(
                        CultureInfo.InvariantCulture,
                        $"| {seed} | {load.Steps} | {load.Work.TotalMilliseconds / steps:F2} "
                        + $"| {load.Longest.TotalMilliseconds:F1} | {bytes:F0} | {bytes / steps:F0} "
                        + $"| {result.Delivered} | {watch.Elapsed.TotalSeconds:F0} |"));
                    if (result.Violation is not { } violation) return;
                    failed++;
                    Console.WriteLine(string.Create(
                        CultureInfo.InvariantCulture, $"seed {seed}: {violation.Invariant}: {violation.Message}"));
                }
            });
            return failed == 0 ? 0 : 1;
        });
        return command;
    }
}
