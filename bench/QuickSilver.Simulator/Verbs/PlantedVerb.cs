using System.CommandLine;
using QuickSilver.Testing.Runs;
using QuickSilver.Testing.Runs.Shrinking;

namespace QuickSilver.Simulator.Verbs;

/// <summary>Plants each defect in turn, and says how soon the ensemble catches it and how small the failing run becomes.</summary>
internal static class PlantedVerb
{
    private const int FewFaults = 5;
    private const int FewNodes = 7;

    public static Command Make()
    {
        var from = new Option<ulong>("--from") { Description = "The first seed.", DefaultValueFactory = _ => 1 };
        var most = new Option<int>("--most") { Description = "Seeds to try for each defect.", DefaultValueFactory = _ => 100 };
        var seconds = new Option<double>("--seconds") { Description = "Real time for cutting one run down.", DefaultValueFactory = _ => 60 };
        var threads = new Option<int>("--threads") { Description = "Threads.", DefaultValueFactory = _ => Environment.ProcessorCount };
        var only = new Option<string[]>("--only") { Description = "Defects to plant; default: all.", AllowMultipleArgumentsPerToken = true };
        var command = new Command("planted", "Plants defects, and measures how they are caught.") { from, most, seconds, threads, only };
        command.SetAction(parsed =>
        {
            string[] defects = parsed.GetValue(only) is { Length: > 0 } chosen ? chosen : [.. HuntedDefect.All];
            int caught = 0, small = 0;
            var gate = new Lock();
            Parallel.ForEach(defects, new ParallelOptions { MaxDegreeOfParallelism = parsed.GetValue(threads) }, defect =>
            {
                var found = HuntedDefect.Hunt(defect, parsed.GetValue(from), parsed.GetValue(most), TimeSpan.FromSeconds(parsed.GetValue(seconds)));
                lock (gate)
                {
                    if (found.Shrunk is not null) caught++;
                    if (found.Shrunk is { Faults: <= FewFaults, Nodes: <= FewNodes }) small++;
                    Console.WriteLine($"| {defect} | {(found.Shrunk is null ? "not caught" : Text(found.Shrunk))} | {found.Seeds} |");
                }
            });
            Console.WriteLine(
                $"{caught} of {defects.Length} defects caught; {small} of {caught} with at most {FewFaults} faults and {FewNodes} nodes");
            return caught == defects.Length ? 0 : 1;
        });
        return command;
    }

    private static string Text(ShrinkResult shrunk) =>
        $"{shrunk.Violation.Invariant} | {shrunk.Nodes} nodes, {shrunk.Faults} faults, {shrunk.Spec.Plans.Sum(plan => plan.Count)} messages";
}
