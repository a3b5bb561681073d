using System.Collections.Concurrent;

namespace QuickSilver.Tests.Api;

/// <summary>A membership server with an address of its own, in its own process's node, that goes and comes back at that
/// address.</summary>
[Collection(NodeCollection.Name)]
public sealed class ServerRestartTests
{
    [Theory]
    [InlineData(2)]
    [InlineData(1)]
    public async Task A_server_restarted_on_its_address_takes_its_cluster_over_and_no_group_ends(int clients)
    {
        await using var rig = new NodeRig();
        QuickSilverNode host = await rig.StartAsync(options => Host(options, rig.Port));
        var groups = new List<Group>();
        var returned = new ConcurrentQueue<NodeEvent>();
        for (int index = 0; index < clients; index++)
        {
            QuickSilverNode node = await rig.StartAsync(options => ClientOf(options, rig.Port));
            node.Events += (_, happened) =>
            {
                if (happened is NodeRejoined) returned.Enqueue(happened);
            };
            groups.Add(await node.JoinAsync("group"));
        }
        Group old = await host.JoinAsync("group");
        await old.WaitForMembersAsync(clients + 1).WaitAsync(NodeRig.Patience);
        ulong epoch = old.View.Epoch;
        await host.DisposeAsync();
        await NodeRig.UntilAsync(
            () => groups.TrueForAll(static group => group.Node.State == NodeState.MembershipLost),
            "the loss is noticed");
        await groups[0].SendConfirmedAsync("without a server").WaitAsync(NodeRig.Patience);

        QuickSilverNode again = await rig.StartAsync(options => Host(options, rig.Port));
        Group own = await again.JoinAsync("group").WaitAsync(NodeRig.Patience);
        await own.WaitForMembersAsync(clients + 1).WaitAsync(NodeRig.Patience);
        await groups[0].WaitForMembersAsync(clients + 1).WaitAsync(NodeRig.Patience);
        await own.SendConfirmedAsync("with one").WaitAsync(NodeRig.Patience);
        foreach (Group group in groups)
        {
            Assert.Equal(["without a server", "with one"], await NodeRig.ReadAsync(group, 2));
            Assert.False(group.Completion.IsCompleted);
        }
        Assert.Empty(returned);
        Assert.True(own.View.Epoch > epoch);
    }

    private static void Host(QuickSilverOptions options, int port)
    {
        options.OnNetwork(MembershipMode.Host);
        options.Membership.Port = port;
        options.Transport.Interface = "127.0.0.1";
    }

    private static void ClientOf(QuickSilverOptions options, int port)
    {
        options.Membership.HeartbeatInterval = TimeSpan.FromMilliseconds(250);
        options.OnNetwork(MembershipMode.Client);
        options.Membership.Servers.Add($"127.0.0.1:{port}");
        options.Transport.Interface = "127.0.0.1";
    }
}
