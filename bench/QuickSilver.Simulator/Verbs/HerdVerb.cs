using System.CommandLine;
using System.Diagnostics;
using System.Globalization;
using QuickSilver.Testing.Disturbances;

namespace QuickSilver.Simulator.Verbs;

/// <summary>Lets a herd of nodes join at one moment.</summary>
internal static class HerdVerb
{
    private const double Megabyte = 1e6;
    private static readonly TimeSpan Bar = TimeSpan.FromSeconds(3);

    public static Command Make()
    {
        var nodes = new Option<int>("--nodes") { Description = "Nodes.", DefaultValueFactory = _ => 1000 };
        var groups = new Option<int>("--groups")
        { Description = "Groups that each joins.", DefaultValueFactory = _ => 100 };
        var kinds = new Option<int>("--kinds")
        { Description = "Different sets of groups, overlapping.", DefaultValueFactory = _ => 50 };
        var command = new Command(
            "herd",
            "Nodes that join overlapping groups at the same moment: all in within 3 virtual seconds and 10 steps.")
        {
            nodes,
            groups,
            kinds,
        };
        command.SetAction(parsed =>
        {
            long started = Stopwatch.GetTimestamp();
            (TimeSpan took, ulong steps) = new SimulatedHerd(
                parsed.GetValue(nodes), parsed.GetValue(groups), parsed.GetValue(kinds)).Run();
            Console.WriteLine(string.Create(
                CultureInfo.InvariantCulture,
                $"{parsed.GetValue(nodes)} nodes, {parsed.GetValue(groups)} groups each, {parsed.GetValue(kinds)} "
                + $"sets: "
                + $"all in after {took.TotalMilliseconds:F0} virtual ms and {steps} steps; "
                + $"{Stopwatch.GetElapsedTime(started).TotalSeconds:F1} s, {GC.GetTotalMemory(false) / Megabyte:F0} "
                + $"MB"));
            return took <= Bar && steps <= 10 ? 0 : 1;
        });
        return command;
    }
}
