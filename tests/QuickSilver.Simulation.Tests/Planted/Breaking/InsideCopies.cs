using System.Globalization;
using QuickSilver.Testing.Runs;
using QuickSilver.Testing.Runs.Generation;
using QuickSilver.Testing.Runs.Shrinking;

namespace QuickSilver.Simulation.Tests.Planted.Breaking;

/// <summary>
/// Called in the copy of these tests that <see cref="BrokenCopies"/> loads: only types of the platform go in and out.
/// </summary>
internal static class InsideCopies
{
    /// <summary>Executes a run at a place.</summary>
    /// <returns>Invariant and message of what was broken; null when nothing was.</returns>
    public static string[]? Run(string place, int index) => Text(PlantedPlace.Run(place, index));

    /// <summary>Executes the run that the generator draws from a seed.</summary>
    /// <returns>Invariant and message of what was broken; null when nothing was.</returns>
    public static string[]? Generate(ulong seed) =>
        Text(RunExecution.Execute(RunGenerator.Generate(seed), PlantedPlace.MostEvents).Violation);

    /// <summary>Cuts a failing run at a place down.</summary>
    /// <returns>Invariant, faults and nodes that are left.</returns>
    public static string[] Shrink(string place, int index, TimeSpan budget) =>
        Shrink(PlantedPlace.Spec(place, index)!, budget);

    /// <summary>Cuts a failing run that the generator draws from a seed down.</summary>
    /// <returns>Invariant, faults and nodes that are left.</returns>
    public static string[] ShrinkGenerated(ulong seed, TimeSpan budget) => Shrink(RunGenerator.Generate(seed), budget);

    private static string[] Shrink(RunSpec spec, TimeSpan budget)
    {
        ShrinkResult result = Shrinker.Shrink(
            spec, run => RunExecution.Execute(run, PlantedPlace.MostEvents).Violation, budget);
        return
        [
            result.Violation.Invariant,
            result.Faults.ToString(CultureInfo.InvariantCulture),
            result.Nodes.ToString(CultureInfo.InvariantCulture),
        ];
    }

    private static string[]? Text(Violation? violation) =>
        violation is null ? null : [violation.Invariant, violation.Message];
}
