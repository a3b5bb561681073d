using System.CommandLine;
using System.Globalization;
using QuickSilver.Testing.Runs;

namespace QuickSilver.Simulator.Verbs;

/// <summary>Executes a saved run, and shows what its applications saw.</summary>
internal static class ReplayVerb
{
    public static Command Make()
    {
        var file = new Argument<string>("file") { Description = "A run saved as JSON." };
        var from = new Option<double?>("--from")
        { Description = "Show what the applications saw from this virtual second on.", HelpName = "S" };
        var until = new Option<double?>("--until")
        { Description = "Show what the applications saw up to this virtual second.", HelpName = "S" };
        var command = new Command("replay", "Executes a saved run.") { file, from, until };
        command.SetAction(parsed =>
        {
            if (!SavedRunFile.TryLoad(parsed.GetValue(file)!, out SavedRun saved)) return SavedRunFile.Unusable;
            (double? first, double? last) = (parsed.GetValue(from), parsed.GetValue(until));
            bool shows = first is not null || last is not null;
            RunResult result = RunExecution.Execute(
                shows ? saved.Spec with { Options = saved.Spec.Options with { KeepsLog = true } } : saved.Spec);
            if (shows) Show(result.Log, first ?? 0, last ?? double.MaxValue);
            Console.WriteLine($"{result.Elapsed} virtual, {result.Events} events, {result.Delivered} deliveries");
            string trace = result.Trace.ToString("x16", CultureInfo.InvariantCulture);
            Console.WriteLine(trace == saved.Trace
                ? $"trace {trace}, as saved"
                : $"trace {trace}; {saved.Trace} was saved: the code has changed since");
            Console.WriteLine(result.Violation?.Message ?? "every promise was kept");
            return result.Violation is null ? 0 : 1;
        });
        return command;
    }

    private static void Show(IReadOnlyList<string> log, double from, double until)
    {
        foreach (string line in log)
        {
            int blank = line.IndexOf(' ', StringComparison.Ordinal);
            double seconds = TimeSpan.FromTicks(
                long.Parse(line.AsSpan(0, blank), CultureInfo.InvariantCulture)).TotalSeconds;
            if (seconds < from || seconds > until) continue;
            Console.WriteLine(
                string.Create(CultureInfo.InvariantCulture, $"{seconds:F6} node {line[(blank + 1)..]}"));
        }
    }
}
