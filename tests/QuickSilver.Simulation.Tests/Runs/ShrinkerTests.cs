using QuickSilver.Testing.Faults;
using QuickSilver.Testing.Runs;
using QuickSilver.Testing.Runs.Generation;
using QuickSilver.Testing.Runs.Shrinking;

namespace QuickSilver.Simulation.Tests.Runs;

public class ShrinkerTests
{
    // Stands for a protocol that breaks when a node freezes and another one is slow at any time, if somebody sends to
    // more than one group.
    [Fact]
    public void WhatDoesNotMatterIsTakenAway()
    {
        RunSpec spec = FindRun(Breaks);
        ShrinkResult shrunk = Shrinker.Shrink(
            spec, run => Breaks(run) ? new Violation("D1", "broken") { At = run.HealAt } : null);
        Assert.True(Breaks(shrunk.Spec));
        Assert.Equal(2, shrunk.Faults);
        Assert.Empty(shrunk.Spec.Actions);
        Assert.Single(shrunk.Spec.Plans);
        Assert.InRange(shrunk.Nodes, 1, 3);
    }

    [Fact]
    public void AnotherViolationIsNotTakenForTheOneThatIsCutDown()
    {
        RunSpec spec = FindRun(run => run.Faults.Count > 6);
        ShrinkResult shrunk = Shrinker.Shrink(
            spec, run => new Violation(run.Faults.Count > 6 ? "D1" : "D2", "broken") { At = run.HealAt });
        Assert.Equal("D1", shrunk.Violation.Invariant);
        Assert.Equal(7, shrunk.Faults);
    }

    [Fact]
    public void ARunThatBreaksNothingIsRefused() =>
        Assert.Throws<ArgumentException>(() => Shrinker.Shrink(new RunSpec(), _ => null));

    [Fact]
    public void TheBudgetEndsIt()
    {
        RunSpec spec = FindRun(Breaks);
        ShrinkResult shrunk = Shrinker.Shrink(
            spec, run => Breaks(run) ? new Violation("D1", "broken") { At = run.HealAt } : null, TimeSpan.Zero);
        Assert.True(Breaks(shrunk.Spec));
        Assert.InRange(shrunk.Tried, 0, 3);
    }

    private static bool Breaks(RunSpec run) =>
        run.Faults.OfType<NodeFreeze>().Any() && run.Faults.OfType<SlowNode>().Any()
            && run.Plans.Any(plan => plan.Count > 3);

    private static RunSpec FindRun(Func<RunSpec, bool> fits)
    {
        for (ulong seed = 1; ; seed++)
        {
            RunSpec run = RunGenerator.Generate(seed);
            if (fits(run)) return run;
        }
    }
}
