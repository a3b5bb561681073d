using QuickSilver.Testing;
using QuickSilver.Testing.Runs;
using QuickSilver.Testing.Runs.Generation;

namespace QuickSilver.Simulation.Tests.Runs;

public class RunFileTests
{
    [Fact]
    public void ASavedRunIsTheRunThatWasSaved()
    {
        string folder = Directory.CreateTempSubdirectory("quicksilver").FullName;
        try
        {
            for (ulong seed = 1; seed <= 200; seed++)
            {
                RunSpec spec = RunGenerator.Generate(seed);
                SavedRun loaded = RunFiles.Load(
                    RunFiles.Save(
                        spec, new RunResult { Violation = new Violation("D1", "text"), Trace = seed }, folder));
                string again = RunJson.Write(loaded);
                Assert.Equal(RunJson.Write(loaded with { Spec = spec }), again);
                Assert.Equal("D1", loaded.Violation?.Invariant);
                Assert.Equal(seed.ToString("x16"), loaded.Trace);
            }
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    [Theory]
    [InlineData(3)]
    [InlineData(4)]
    public void AReplayGivesTheTraceOfTheRun(ulong seed)
    {
        RunSpec spec = RunGenerator.Generate(seed, new GeneratorOptions { MaxNodes = 8 });
        RunResult first = RunExecution.Execute(spec);
        RunResult replayed = RunExecution.Execute(RunJson.Read(RunJson.Write(new SavedRun { Spec = spec })).Spec);
        Assert.Equal(first.Trace, replayed.Trace);
        Assert.Equal(first.Events, replayed.Events);
    }

    [Fact]
    public void AnUnknownKeyIsRefusedWithItsLine()
    {
        System.Text.Json.JsonException refused = Assert.Throws<System.Text.Json.JsonException>(
            () => RunJson.Read("{ `spec`: { `options`: {\n  `nodes`: 3,\n  `nodse`: 4 } } }".Replace('`', '"')));
        Assert.Equal(2, refused.LineNumber);
        Assert.Contains("nodse", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void WhatAnApplicationSawIsInTheResultOfARunThatKeepsIt()
    {
        RunSpec spec = RunGenerator.Generate(3, new GeneratorOptions { MaxNodes = 4 });
        RunResult plain = RunExecution.Execute(spec);
        RunResult told = RunExecution.Execute(spec with { Options = spec.Options with { KeepsLog = true } });
        Assert.Empty(plain.Log);
        Assert.Equal(plain.Trace, told.Trace);
        Assert.Contains(told.Log, static line => line.Contains(" got ", StringComparison.Ordinal));
    }

    [Fact]
    public void WhatAFileDoesNotSayHasItsDefault()
    {
        RunSpec spec = RunJson.Read(
            """{ "spec": { "options": { "nodes": 3, "node": { "recovery": { "eagerPull": false } } } } }""").Spec;
        Assert.Equal(new SimulationOptions { Nodes = 3 }.Network.SlotBytes, spec.Options.Network.SlotBytes);
        Assert.Equal(3, spec.Options.Nodes);
        Assert.False(spec.Options.Node.Recovery.EagerPull);
        Assert.Equal(new SimulationOptions().Node.CacheBytes, spec.Options.Node.CacheBytes);
        Assert.Equal(new RunSpec().SettleLimit, spec.SettleLimit);
    }
}
