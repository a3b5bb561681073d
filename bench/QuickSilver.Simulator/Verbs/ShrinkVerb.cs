using System.CommandLine;
using System.Globalization;
using QuickSilver.Testing.Runs;
using QuickSilver.Testing.Runs.Shrinking;

namespace QuickSilver.Simulator.Verbs;

/// <summary>Cuts a saved run that breaks a promise down to what breaks it.</summary>
internal static class ShrinkVerb
{
    public static Command Make()
    {
        var file = new Argument<string>("file") { Description = "A failing run saved as JSON." };
        var seconds = new Option<double>("--seconds")
        { Description = "Real time it may take.", DefaultValueFactory = _ => 60 };
        var command = new Command(
            "shrink", "Cuts a failing run down; writes what is left beside it.") { file, seconds };
        command.SetAction(parsed =>
        {
            string path = parsed.GetValue(file)!;
            if (!SavedRunFile.TryLoad(path, out SavedRun saved)) return SavedRunFile.Unusable;
            if (RunExecution.Execute(saved.Spec).Violation is null)
            {
                Console.Error.WriteLine($"{path}: every promise was kept; there is nothing to shrink.");
                return SavedRunFile.Unusable;
            }
            TimeSpan limit = TimeSpan.FromSeconds(parsed.GetValue(seconds));
            ShrinkResult shrunk = Shrinker.Shrink(saved.Spec, spec => RunExecution.Execute(spec).Violation, limit);
            RunResult result = RunExecution.Execute(shrunk.Spec);
            string suffix = string.Create(
                CultureInfo.InvariantCulture, $"-{shrunk.Nodes}-nodes-{shrunk.Faults}-faults");
            string small = RunFiles.Save(shrunk.Spec, result, Path.GetDirectoryName(Path.GetFullPath(path)), suffix);
            Console.WriteLine(shrunk);
            Console.WriteLine(shrunk.Violation.Message);
            foreach (string line in RunText.Describe(shrunk.Spec)) Console.WriteLine(line);
            Console.WriteLine(RunFiles.ReplayCommand(small));
            return 0;
        });
        return command;
    }
}
