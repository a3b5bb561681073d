using QuickSilver.Bench.Processes;
using QuickSilver.TestPrograms;

namespace QuickSilver.Tests.Processes;

/// <summary>A publisher and three subscribers with heaps of 64 MB, one of whose readers stands still: nobody writes out
/// what it prints.</summary>
[Collection(ProcessCollection.Name)]
public sealed class SmallHeapTests
{
    private const int Messages = 40_000;

    [Fact]
    public async Task A_reader_that_stands_still_on_a_small_heap_disturbs_nobody()
    {
        var environment = new Dictionary<string, string> { ["DOTNET_GCHeapHardLimit"] = "0x4000000" };
        string cluster = $"heap-{Guid.NewGuid():N}";
        string[] common = ["--cluster", cluster, "--timeout", "180"];
        ChildProcess[] healthy = [
            .. Enumerable.Range(0, 2)
            .Select(index => Start("subscribe", $"healthy {index}", ["--quiet", "--expect", $"{Messages}"]))];
        // The callback that takes its lines does not come back.
        using var never = new ManualResetEventSlim();
        ChildProcess stalled =
            ProgramRun.Start("subscribe", "stalled", [.. common, "--name", "stalled"], _ => never.Wait(), environment);
        ChildProcess publisher = Start(
            "publish", "publisher",
            ["--quiet", "--members", "4", "--count", $"{Messages}", "--size", "1000", "--rate", "5000"]);
        try
        {
            Assert.True(
                await publisher.Exit.WaitAsync(TimeSpan.FromSeconds(190)) == ExitCodes.Success, publisher.LastLines);
            foreach (ChildProcess one in healthy)
            {
                Assert.True(await one.Exit.WaitAsync(TimeSpan.FromSeconds(190)) == ExitCodes.Success, one.LastLines);
            }
            Assert.False(stalled.Exit.IsCompleted, $"the node of the stalled reader has ended: {stalled.LastLines}");
        }
        finally
        {
            never.Set();
            foreach (ChildProcess one in (ChildProcess[])[.. healthy, publisher, stalled]) await one.DisposeAsync();
        }

        ChildProcess Start(string verb, string name, string[] arguments) =>
            ProgramRun.Start(verb, name, [.. common, "--name", name, .. arguments], environment: environment);
    }
}
