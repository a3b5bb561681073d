using QuickSilver.Protocol.Core;
using QuickSilver.Testing.Runs.Generation;
using QuickSilver.Testing.Runs.Shrinking;

namespace QuickSilver.Testing.Runs;

/// <summary>A defect planted in the protocol, and what the ensemble made of it: this is how the simulator itself is measured.</summary>
/// <param name="Defect">Name of the defect.</param>
/// <param name="Seeds">Seeds that it took to catch it; those tried, when it was not caught.</param>
/// <param name="Shrunk">The first failing run, cut down; null when it was not caught.</param>
public sealed record HuntedDefect(string Defect, int Seeds, ShrinkResult? Shrunk)
{
    /// <summary>Names of all defects that can be planted.</summary>
    public static IReadOnlyList<string> All { get; } = [.. Enum.GetNames<Sabotage>().Where(name => name != nameof(Sabotage.None))];

    /// <summary>Runs seeds with a defect planted until one of them breaks a promise that it keeps without it, and cuts that run down.</summary>
    /// <param name="defect">Name of the defect.</param>
    /// <param name="first">The first seed.</param>
    /// <param name="most">Seeds to try.</param>
    /// <param name="budget">Real time for the cutting down.</param>
    /// <param name="bounds">What the generator may draw; null: everything.</param>
    public static HuntedDefect Hunt(string defect, ulong first, int most, TimeSpan budget, GeneratorOptions? bounds = null)
    {
        Sabotage sabotage = Enum.Parse<Sabotage>(defect);
        for (int index = 0; index < most; index++)
        {
            RunSpec clean = RunGenerator.Generate(first + (ulong)index, bounds);
            RunSpec broken = clean with { Options = clean.Options with { Sabotage = sabotage } };
            if (Run(broken) is null || Run(clean) is not null) continue;
            return new HuntedDefect(defect, index + 1, Shrinker.Shrink(broken, Run, budget));
        }
        return new HuntedDefect(defect, most, null);
    }

    private static Violation? Run(RunSpec spec) => RunExecution.Execute(spec).Violation;
}
