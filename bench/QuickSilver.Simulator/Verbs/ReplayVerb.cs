using System.CommandLine;
using System.Globalization;
using QuickSilver.Testing.Runs;

namespace QuickSilver.Simulator.Verbs;

/// <summary>Executes a saved run.</summary>
internal static class ReplayVerb
{
    public static Command Make()
    {
        var file = new Argument<string>("file") { Description = "A run saved as JSON." };
        var command = new Command("replay", "Executes a saved run.") { file };
        command.SetAction(parsed =>
        {
            SavedRun saved = RunFiles.Load(parsed.GetValue(file)!);
            RunResult result = RunExecution.Execute(saved.Spec);
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
}
