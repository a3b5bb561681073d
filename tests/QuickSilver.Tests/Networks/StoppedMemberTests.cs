using System.Diagnostics;

namespace QuickSilver.Tests.Networks;

/// <summary>A member's process is stopped, while its machine answers.</summary>
[Trait("needs", "nodes")]
public sealed class StoppedMemberTests
{
    private const string Group = "group";

    // It is named, not removed.
    private const string NotRemoved = "Membership:FailureTimeout=00:02:00";

    [Fact]
    public async Task A_stopped_member_is_named_by_the_sender_in_its_log_and_among_its_slowest_members()
    {
        using NetworkNamespaces network = NetworkNamespaces.Make(hosts: 4);
        await using NetworkNode server = await network.StartHostAsync(0, "server", NotRemoved);
        await using NetworkNode sender = await network.StartClientAsync(1, "sender", NotRemoved);
        await using NetworkNode stopped = await network.StartClientAsync(2, "stopped", NotRemoved);
        await using NetworkNode other = await network.StartClientAsync(3, "other", NotRemoved);
        NetworkNode[] receivers = [server, stopped, other];
        foreach (NetworkNode node in (NetworkNode[])[sender, .. receivers])
            await node.AskAsync($"join {Group}", $"joined {Group}");
        await sender.TellAsync($"send {Group} 4000 200 500");
        await stopped.WaitForCountAsync(Group, 500);

        stopped.Freeze(begins: true);
        long start = Stopwatch.GetTimestamp();
        try
        {
            await sender.WaitForAsync("log Warning 1310", "'stopped'");
            TimeSpan logged = Stopwatch.GetElapsedTime(start);
            string slowest = await sender.AskAsync("slowest", "slowest");
            // Why a member is slow is known once it was asked, which busy processors put off.
            while (!slowest.Contains("does not answer", StringComparison.Ordinal))
            {
                Assert.True(Stopwatch.GetElapsedTime(start) < TimeSpan.FromSeconds(30), slowest);
                await Task.Delay(100, TestContext.Current.CancellationToken);
                slowest = await sender.AskAsync("slowest", "slowest");
            }
            Assert.Contains("'stopped'", slowest, StringComparison.Ordinal);
            TestContext.Current.TestOutputHelper?.WriteLine($"named after {logged.TotalSeconds:0.0} s: {slowest}");
        }
        finally
        {
            stopped.Freeze(begins: false);
        }
        await sender.WaitForAsync($"sent {Group} 4000");
        foreach (NetworkNode node in receivers) await node.WaitForCountAsync(Group, 4_000);
        await sender.WaitForAsync("log Information 1311", "'stopped'");
    }
}
