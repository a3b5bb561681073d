using System.Globalization;
using QuickSilver.Membership.Etcd.Tests.Stores;

namespace QuickSilver.Membership.Etcd.Tests;

/// <summary>Nodes that elect their server by etcd.</summary>
public sealed class NodesTests
{
    [Fact]
    public async Task Another_node_serves_when_the_first_leaves_and_data_flows_while_etcd_is_gone()
    {
        await using EtcdServer server = await EtcdServer.StartAsync();
        using var raw = new RawEtcd(server.EndPoint);
        await using var rig = new NodeRig();
        var groups = new List<Group>();
        for (int index = 0; index < 3; index++) groups.Add(await JoinAsync(rig, server));
        foreach (Group group in groups) await group.WaitForMembersAsync(3).WaitAsync(NodeRig.Patience);
        long first = await TermAsync(raw);

        await groups[0].Node.DisposeAsync();
        await NodeRig.UntilAsync(async () => await TermAsync(raw) > first, "another is elected");
        Group late = await JoinAsync(rig, server);
        await late.WaitForMembersAsync(3).WaitAsync(NodeRig.Patience);
        long second = await TermAsync(raw);

        await server.KillAsync();
        await NodeRig.UntilAsync(
            () => late.Node.State == NodeState.MembershipLost, "the server stops before its lease has ended");
        await groups[1].SendConfirmedAsync("without a server").WaitAsync(NodeRig.Patience);
        server.Start();
        await NodeRig.UntilAsync(() => late.Node.State == NodeState.Running, "another serves");
        await groups[2].SendConfirmedAsync("with one").WaitAsync(NodeRig.Patience);
        Assert.Equal(["without a server", "with one"], await NodeRig.ReadAsync(late, 2));
        Assert.True(await TermAsync(raw) > second);
    }

    [Fact]
    public async Task A_start_without_etcd_says_what_was_asked()
    {
        await using var rig = new NodeRig();
        var refusal = await Assert.ThrowsAsync<MembershipUnavailableException>(
            () => rig.StartAsync(static options =>
            {
                Configure(options, "127.0.0.1:1");
                options.Membership.JoinTimeout = TimeSpan.FromSeconds(2);
            }));
        Assert.Contains("etcd at 127.0.0.1:1", refusal.Message, StringComparison.Ordinal);
        Assert.Contains("does not answer: Connection refused", refusal.Message, StringComparison.Ordinal);
    }

    private static async Task<long> TermAsync(RawEtcd raw) =>
        long.Parse((await raw.FindAsync("quicksilver/tests/term"))!, CultureInfo.InvariantCulture);

    private static async Task<Group> JoinAsync(NodeRig rig, EtcdServer server)
    {
        QuickSilverNode node = await rig.StartAsync(options => Configure(options, server.EndPoint));
        return await node.JoinAsync("group").WaitAsync(NodeRig.Patience);
    }

    private static void Configure(QuickSilverOptions options, string endPoint)
    {
        options.Membership.Port = 14_990;
        options.Membership.UseEtcd(etcd =>
        {
            etcd.Endpoints.Add(endPoint);
            etcd.LeaseDuration = TimeSpan.FromSeconds(4);
        });
        options.Membership.JoinTimeout = NodeRig.Patience;
        options.Membership.HeartbeatInterval = TimeSpan.FromMilliseconds(250);
        options.Transport.Interface = "127.0.0.1";
    }
}
