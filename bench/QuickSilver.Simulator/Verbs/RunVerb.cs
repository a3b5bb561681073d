using System.CommandLine;
using System.Diagnostics;
using QuickSilver.Testing.Runs;
using QuickSilver.Testing.Runs.Generation;

namespace QuickSilver.Simulator.Verbs;

/// <summary>Generates and executes seeds, on all processors.</summary>
internal static class RunVerb
{
    public static Command Make()
    {
        var seeds = new Option<string>("--seeds") { Description = "The seeds: 17, or 1..400.", Required = true };
        var minutes = new Option<double?>("--minutes") { Description = "Begin no further seed after so many minutes." };
        var threads = new Option<int>("--threads")
        { Description = "Threads.", DefaultValueFactory = _ => Environment.ProcessorCount };
        var folder = new Option<string?>("--save")
        {
            Description = $"Where failing runs are saved; default: ${RunFiles.DirectoryVariable}, or the folder for "
                + $"temporary files.",
        };
        var without = new Option<FaultKind[]>("--without")
        { Description = "Kinds of trouble to leave out.", AllowMultipleArgumentsPerToken = true };
        var with = new Option<FaultKind[]>("--with")
        {
            Description = "Kinds of trouble of which a run must have one: the other seeds are passed over.",
            AllowMultipleArgumentsPerToken = true,
        };
        var ordered = new Option<bool>("--ordered") { Description = "Some groups of every run are ordered." };
        var nodes = new Option<int>("--max-nodes")
        {
            Description = "Most machines.",
            DefaultValueFactory = _ => new GeneratorOptions().MaxNodes
        };
        var traces = new Option<string?>("--traces")
        { Description = "A file for the trace of each seed: equal before and after a change that moves code alone." };
        var write = new Option<bool>("--write") { Description = "Only write the runs to files; execute nothing." };
        var command = new Command(
            "run", "Generates and executes seeds.")
        { seeds, minutes, threads, folder, with, without, ordered, nodes, traces, write };
        command.SetAction(parsed =>
        {
            SeedRange range = SeedRange.Parse(parsed.GetValue(seeds)!);
            var bounds = new GeneratorOptions
            {
                Without = parsed.GetValue(without) ?? [],
                Ordered = parsed.GetValue(ordered),
                MaxNodes = parsed.GetValue(nodes)
            };
            if (parsed.GetValue(write))
            {
                for (ulong seed = range.First; seed < range.First + range.Count; seed++)
                    Console.WriteLine(
                        RunFiles.Save(RunGenerator.Generate(seed, bounds), new RunResult(), parsed.GetValue(folder)));
                return 0;
            }
            var ensemble = new Ensemble
            {
                Bounds = bounds,
                With = parsed.GetValue(with) ?? [],
                Threads = parsed.GetValue(threads),
                Limit = parsed.GetValue(minutes) is { } limit ? TimeSpan.FromMinutes(limit) : Timeout.InfiniteTimeSpan,
                Folder = parsed.GetValue(folder),
                Failed = Console.WriteLine,
            };
            EnsembleReport report = ensemble.Run(range.First, range.Count);
            if (parsed.GetValue(traces) is { } file) File.WriteAllLines(file, report.Traces);
            Console.WriteLine(report);
            Console.WriteLine(report.LedgerRow(Commit()));
            return report.Failures.Count == 0 ? 0 : 1;
        });
        return command;
    }

    private static string Commit()
    {
        try
        {
            var describe = new ProcessStartInfo(
                "git", "describe --always --dirty")
            { RedirectStandardOutput = true, RedirectStandardError = true };
            using var git = Process.Start(describe);
            return git?.StandardOutput.ReadToEnd().Trim() is { Length: > 0 } commit ? commit : "unknown";
        }
        catch (System.ComponentModel.Win32Exception)
        {
            return "unknown";
        }
    }
}
