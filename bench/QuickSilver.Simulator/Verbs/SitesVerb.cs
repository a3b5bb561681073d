using System.CommandLine;
using System.Diagnostics;
using System.Globalization;
using QuickSilver.Testing.Runs;
using QuickSilver.Testing.Sites;

namespace QuickSilver.Simulator.Verbs;

/// <summary>Random overlays of sites, whose links lose and fail.</summary>
internal static class SitesVerb
{
    public static Command Make()
    {
        var seeds = new Option<string>("--seeds") { Description = "The seeds: 17, or 1..2000.", Required = true };
        var threads = new Option<int>("--threads")
        { Description = "Threads.", DefaultValueFactory = _ => Environment.ProcessorCount };
        var command = new Command(
            "sites", "Overlays of two to eight sites; links lose, delay and fail, gateways restart (S1 to S6).")
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
                if (SiteRun.Execute((ulong)seed) is not Violation violation) return;
                Interlocked.Increment(ref failed);
                Console.WriteLine(string.Create(CultureInfo.InvariantCulture, $"seed {seed}: {violation.Message}"));
            });
            Console.WriteLine(string.Create(
                CultureInfo.InvariantCulture,
                $"{range.Count} runs, {failed} failed, {watch.Elapsed.TotalSeconds:F0} s"));
            return failed == 0 ? 0 : 1;
        });
        return command;
    }
}
