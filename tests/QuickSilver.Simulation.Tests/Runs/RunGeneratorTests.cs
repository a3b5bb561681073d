using QuickSilver.Testing.Faults;
using QuickSilver.Testing.Runs;
using QuickSilver.Testing.Runs.Generation;

namespace QuickSilver.Simulation.Tests.Runs;

public class RunGeneratorTests
{
    [Fact]
    public void ASeedGivesOneRunAndAnotherSeedAnother()
    {
        string[] runs = [.. Enumerable.Range(1, 100).Select(seed => Text((ulong)seed))];
        Assert.Equal(runs, Enumerable.Range(1, 100).Select(seed => Text((ulong)seed)));
        Assert.Equal(100, runs.Distinct().Count());
    }

    [Fact]
    public void EveryKindOfTroubleOccursAndOneRunInTenHasNone()
    {
        RunSpec[] runs = [.. Enumerable.Range(1, 2_000).Select(seed => RunGenerator.Generate((ulong)seed))];
        Assert.InRange(runs.Count(run => run.Faults.Count == 0), 150, 350);
        foreach (FaultKind kind in Enum.GetValues<FaultKind>())
            Assert.InRange(runs.Count(run => run.Traits.Contains(kind.ToString())), 100, 1_000);
        // One island, and a node that lies to the server, are for worlds written by hand. Elections have a generator of
        // their own.
        Type[] elected = [.. Enumerable.Range(1, 100)
            .SelectMany(static seed => ElectionRun.Generate((ulong)seed).Faults
                .Concat(PeerRun.Generate((ulong)seed).Faults))
            .Select(static fault => fault.GetType())];
        IEnumerable<Type> kinds = typeof(Fault).Assembly.GetTypes()
            .Where(type => type.IsSubclassOf(typeof(Fault)) && type != typeof(Partition)
                && type != typeof(FalseWitness));
        Assert.Empty(kinds.Except(elected).Except(runs.SelectMany(run => run.Faults).Select(fault => fault.GetType())));
    }

    [Fact]
    public void TheFirstPhaseEndsAllFaultsButThoseThatLastForEver()
    {
        for (ulong seed = 1; seed <= 1_000; seed++)
        {
            RunSpec run = RunGenerator.Generate(seed);
            Assert.All(run.Faults, fault => Assert.True(
                fault.IsForEver || fault.At + fault.Duration <= run.HealAt + TimeSpan.FromSeconds(6),
                $"seed {seed}: {fault} outlasts {run.HealAt}"));
            Assert.True(
                run.Lost().Count < run.Options.Nodes || run.Faults.OfType<NodeCrash>().Any(),
                $"seed {seed}: nobody is left");
        }
    }

    [Fact]
    public void NoFaultLastsForNoTime()
    {
        for (ulong seed = 1; seed <= 1_000; seed++)
        {
            Assert.DoesNotContain(
                RunGenerator.Generate(seed).Faults,
                fault => fault.Duration == TimeSpan.Zero && fault is not ServerReplacement);
        }
    }

    private static string Text(ulong seed) => RunJson.Write(new SavedRun { Spec = RunGenerator.Generate(seed) });
}
