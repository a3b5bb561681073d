using System.Collections.Concurrent;
using System.Net;
using System.Net.Sockets;
using QuickSilver.Tests.Api;
using QuickSilver.Tests.Diagnostics;

namespace QuickSilver.Tests.Membership.Election;

/// <summary>Nodes that elect their server by their own votes.</summary>
[Collection(NodeCollection.Name)]
public sealed class PeerNodesTests
{
    private readonly ConcurrentQueue<NodeEvent> _returned = new();
    private readonly RecordingLoggerFactory _log = new();
    private readonly int[] _ports = FreePorts(6);

    [Fact]
    public async Task Nodes_elect_one_and_another_when_that_leaves_and_no_group_ends()
    {
        await using var rig = new NodeRig();
        List<Group> groups = await StartAsync(rig, 3);
        Assert.Equal(1, Serving());
        await groups[0].Node.DisposeAsync();
        await groups[1].SendConfirmedAsync("under the second").WaitAsync(NodeRig.Patience);
        Assert.Equal(["under the second"], await NodeRig.ReadAsync(groups[2], 1));
        await NodeRig.UntilAsync(() => Serving() == 2, "another is elected");
        Group late = await JoinAsync(rig, 3);
        await late.WaitForMembersAsync(3).WaitAsync(NodeRig.Patience);
        Assert.Equal(2, Serving());
        Assert.Empty(_returned);
        Assert.All(groups[1..], static group => Assert.False(group.Completion.IsCompleted));
    }

    [Fact]
    public async Task Each_of_two_may_leave_and_the_other_goes_on()
    {
        await using var rig = new NodeRig();
        List<Group> groups = await StartAsync(rig, 2);
        await groups[0].Node.DisposeAsync();
        Group late = await JoinAsync(rig, 2);
        await late.WaitForMembersAsync(2).WaitAsync(NodeRig.Patience);
        await groups[1].Node.DisposeAsync();
        Group last = await JoinAsync(rig, 3);
        await last.WaitForMembersAsync(2).WaitAsync(NodeRig.Patience);
        Assert.Empty(_returned);
    }

    [Fact]
    public async Task Founders_wait_for_each_other_and_say_so()
    {
        await using var rig = new NodeRig();
        var refusal = await Assert.ThrowsAsync<MembershipUnavailableException>(
            () => rig.StartAsync(options => Configure(options, 0, founders: 3, TimeSpan.FromSeconds(4))));
        Assert.Contains(
            "1 of 3 founders (Membership.Peers.Founders) are there", refusal.Message, StringComparison.Ordinal);
        QuickSilverNode[] nodes = await Task.WhenAll(Enumerable.Range(0, 3).Select(
            index => rig.StartAsync(options => Configure(options, index, founders: 3, NodeRig.Patience))));
        Group[] groups = await Task.WhenAll(nodes.Select(static node => node.JoinAsync("group")))
            .WaitAsync(NodeRig.Patience);
        foreach (Group group in groups) await group.WaitForMembersAsync(3).WaitAsync(NodeRig.Patience);
        Assert.Equal(1, Serving());
    }

    [Fact]
    public async Task A_node_that_may_not_serve_is_a_client_of_those_that_may()
    {
        await using var rig = new NodeRig();
        List<Group> groups = await StartAsync(rig, 1);
        QuickSilverNode client = await rig.StartAsync(options =>
        {
            Configure(options, 1, founders: 1, NodeRig.Patience);
            options.Membership.Peers.MayServe = false;
        });
        Group group = await client.JoinAsync("group").WaitAsync(NodeRig.Patience);
        await group.WaitForMembersAsync(2).WaitAsync(NodeRig.Patience);
        await groups[0].SendConfirmedAsync("hello").WaitAsync(NodeRig.Patience);
        Assert.Equal(["hello"], await NodeRig.ReadAsync(group, 1));
    }

    private int Serving() => _log.Records.Count(static record => record.Id == 1101);

    private async Task<List<Group>> StartAsync(NodeRig rig, int count)
    {
        var groups = new List<Group>();
        for (int index = 0; index < count; index++) groups.Add(await JoinAsync(rig, index));
        foreach (Group group in groups) await group.WaitForMembersAsync(count).WaitAsync(NodeRig.Patience);
        return groups;
    }

    private async Task<Group> JoinAsync(NodeRig rig, int index)
    {
        QuickSilverNode node = await rig.StartAsync(
            options => Configure(options, index, founders: 1, NodeRig.Patience));
        node.Events += (_, happened) =>
        {
            if (happened is NodeRejoined) _returned.Enqueue(happened);
        };
        return await node.JoinAsync("group").WaitAsync(NodeRig.Patience);
    }

    private void Configure(QuickSilverOptions options, int index, int founders, TimeSpan patience)
    {
        options.OnNetwork(MembershipMode.Peers);
        options.UseLoggerFactory(_log);
        options.NodeName = $"node{index}";
        options.Membership.Port = _ports[index];
        options.Membership.ChangeServers(_ports.Select(static port => $"127.0.0.1:{port}"));
        options.Membership.Discovery.Multicast = false;
        options.Membership.Peers.Founders = founders;
        options.Membership.JoinTimeout = patience;
        options.Membership.HeartbeatInterval = TimeSpan.FromMilliseconds(250);
        options.Transport.Interface = "127.0.0.1";
    }

    private static int[] FreePorts(int count)
    {
        Socket[] sockets = [.. Enumerable.Range(0, count).Select(static _ =>
        {
            var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
            socket.Bind(new IPEndPoint(IPAddress.Loopback, 0));
            return socket;
        })];
        int[] ports = [.. sockets.Select(static socket => ((IPEndPoint)socket.LocalEndPoint!).Port)];
        foreach (Socket socket in sockets) socket.Dispose();
        return ports;
    }
}
