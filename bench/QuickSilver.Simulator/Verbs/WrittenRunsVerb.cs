using System.CommandLine;
using System.Diagnostics;
using System.Globalization;
using QuickSilver.Testing.Runs;
using QuickSilver.Testing.Runs.Generation;
using QuickSilver.Testing.Sites;

namespace QuickSilver.Simulator.Verbs;

/// <summary>Runs written for one promise each: processes come back, hosts are elected, sites are linked.</summary>
internal static class WrittenRunsVerb
{
    public static Command Restarts() => Make(
        "restarts", "Processes die and come back under their names; all who live are in one view soon after (V9).",
        RestartRun.Generate);

    public static Command Elections() => Make(
        "elections", "Hosts are elected, die and stand still; none says anything once another is elected (V6).",
        ElectionRun.Generate);

    public static Command Peers() => Make(
        "peers",
        "Hosts elect each other, die, stand still and are cut apart; none says anything once another is elected (V6).",
        PeerRun.Generate);

    public static Command Sites() => Make(
        "sites",
        "Overlays of two to eight sites; links lose, delay and fail, gateways restart, members come and go (S1 to S7).",
        static seed => SiteRun.Execute(seed)?.Message);

    private static Command Make(string name, string description, Func<ulong, RunSpec> generate) => Make(
        name, description, seed =>
        {
            RunSpec spec = generate(seed);
            RunResult result = RunExecution.Execute(spec);
            return result.Violation is { } violation
                ? $"{violation.Message} Replay: {RunFiles.ReplayCommand(RunFiles.Save(spec, result))}" : null;
        });

    private static Command Make(string name, string description, Func<ulong, string?> findFault)
    {
        var seeds = new Option<string>("--seeds") { Description = "The seeds: 17, or 1..2000.", Required = true };
        var threads = new Option<int>("--threads")
        { Description = "Threads.", DefaultValueFactory = _ => Environment.ProcessorCount };
        var command = new Command(name, description)
        {
            seeds,
            threads,
        };
        command.SetAction(parsed =>
        {
            SeedRange range = SeedRange.Parse(parsed.GetValue(seeds)!);
            var watch = Stopwatch.StartNew();
            int failed = 0;
            var options = new ParallelOptions { MaxDegreeOfParallelism = parsed.GetValue(threads) };
            Parallel.For((long)range.First, (long)(range.First + range.Count), options, seed =>
            {
                if (findFault((ulong)seed) is not { } fault) return;
                Interlocked.Increment(ref failed);
                Console.WriteLine(string.Create(CultureInfo.InvariantCulture, $"seed {seed}: {fault}"));
            });
            Console.WriteLine(string.Create(
                CultureInfo.InvariantCulture,
                $"{range.Count} runs, {failed} failed, {watch.Elapsed.TotalSeconds:F0} s"));
            return failed == 0 ? 0 : 1;
        });
        return command;
    }
}
