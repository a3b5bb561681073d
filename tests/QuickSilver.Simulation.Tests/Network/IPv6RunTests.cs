using QuickSilver.Simulation.Tests.Scenarios;
using QuickSilver.Testing.Runs;
using QuickSilver.Testing.Runs.Generation;

namespace QuickSilver.Simulation.Tests.Network;

/// <summary>Drawn runs whose nodes and groups have IPv6 addresses.</summary>
public class IPv6RunTests
{
    [Fact]
    public void RunsOverIPv6KeepAllPromises() => Seeds.ForEach(Seeds.Range(46_001, 16), seed =>
    {
        RunSpec spec = RunGenerator.Generate(
            seed, new GeneratorOptions { MaxNodes = 10, MaxLength = TimeSpan.FromSeconds(25) });
        RunResult result = RunExecution.Execute(
            spec with { Options = spec.Options with { Network = spec.Options.Network with { IPv6 = true } } });
        Assert.True(result.Violation is null, $"{seed}: {result.Violation}");
    });
}
