using QuickSilver.Bench.Processes;
using QuickSilver.Tests.Api;

namespace QuickSilver.Tests.Processes;

[Collection(ProcessCollection.Name)]
public sealed class IdleTests
{
    private const int Nodes = 4;
    private static readonly TimeSpan Quiet = TimeSpan.FromSeconds(3.5);

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

            // The last rounds and beacons follow the last message within a second or two, later on a machine under
            // load; that they end is what is tested.
            await NodeRig.UntilAsync(
                async () =>
                {
                    long[] before = Sent(nodes);
                    await Task.Delay(Quiet, ct);
                    return before.SequenceEqual(Sent(nodes));
                },
                "nobody sends any more");
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

    private static long[] Sent(List<QuickSilverNode> nodes) =>
        [.. nodes.Select(node => node.GetStatistics().DatagramsSent)];
}
