using QuickSilver.Bench.Processes;

namespace QuickSilver.Tests.Processes;

[Collection(ProcessCollection.Name)]
public sealed class IdleTests
{
    private const int Nodes = 4;
    private static readonly TimeSpan Quiet = TimeSpan.FromSeconds(2);
    private static readonly TimeSpan Period = TimeSpan.FromMilliseconds(200);

    [Fact]
    public async Task A_cluster_in_which_nobody_sends_any_more_sends_no_datagram()
    {
        CancellationToken ct = TestContext.Current.CancellationToken;
        int port = FreePort.Find();
        var nodes = new List<QuickSilverNode>();
        try
        {
            for (int number = 0; number < Nodes; number++) nodes.Add(await StartAsync(port, ct));
            var groups = new List<Group>();
            foreach (QuickSilverNode node in nodes)
                groups.AddRange(await node.JoinManyAsync(["x", "y", "z"], cancellationToken: ct));
            await groups[0].WaitForMembersAsync(Nodes, ct);
            foreach (Group group in groups) await group.SendConfirmedAsync("said once", ct);

            await WaitForSilenceAsync(nodes, ct);
            long[] before = Sent(nodes);
            await Task.Delay(Quiet, ct);
            Assert.Equal(before, Sent(nodes));
        }
        finally
        {
            foreach (QuickSilverNode node in nodes) await node.DisposeAsync();
        }
    }

    private static Task<QuickSilverNode> StartAsync(int port, CancellationToken ct)
    {
        var options = new QuickSilverOptions { ClusterName = "idle" };
        options.Membership.Port = port;
        return QuickSilverNode.StartAsync(options, ct);
    }

    // The last rounds and beacons follow the last message within a second or two; that they end is what is tested.
    private static async Task WaitForSilenceAsync(List<QuickSilverNode> nodes, CancellationToken ct)
    {
        long[] before = Sent(nodes);
        for (int same = 0, waits = 0; same < 8; waits++)
        {
            Assert.True(
                waits < 100, $"after {waits * Period} nodes still send: {string.Join(", ", before)} datagrams so far");
            await Task.Delay(Period, ct);
            long[] now = Sent(nodes);
            same = now.SequenceEqual(before) ? same + 1 : 0;
            before = now;
        }
    }

    private static long[] Sent(List<QuickSilverNode> nodes) =>
        [.. nodes.Select(node => node.GetStatistics().DatagramsSent)];
}
