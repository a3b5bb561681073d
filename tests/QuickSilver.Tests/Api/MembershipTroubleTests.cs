using System.Collections.Concurrent;
using System.Diagnostics;
using QuickSilver.Protocol.Membership;

namespace QuickSilver.Tests.Api;

/// <summary>What a program sees of the membership when its server, or the node itself, is in trouble.</summary>
[Collection(NodeCollection.Name)]
public sealed class MembershipTroubleTests
{
    [Fact]
    public async Task While_the_server_is_gone_data_goes_on_joins_wait_and_the_state_tells()
    {
        await using var rig = new NodeRig();
        QuickSilverNode host = await rig.StartAsync(Host);
        await using var gate = new TcpGate(rig.Port);
        QuickSilverNode a = await rig.StartAsync(Client);
        QuickSilverNode b = await rig.StartAsync(Client);
        Group left = await a.JoinAsync("group");
        Group right = await b.JoinAsync("group");
        await left.WaitForMembersAsync(2).WaitAsync(NodeRig.Patience);
        var states = new ConcurrentQueue<NodeStateChanged>();
        a.Events += (_, happened) =>
        {
            if (happened is NodeStateChanged { Before: not NodeState.Starting } state) states.Enqueue(state);
        };
        gate.Shut();
        await NodeRig.UntilAsync(
            () => a.State == NodeState.MembershipLost && b.State == NodeState.MembershipLost, "the loss is noticed");
        Assert.Equal(NodeState.MembershipLost, (await a.GetStatisticsAsync()).State);

        DeliveryReport report = await left.SendConfirmedAsync("without a server").WaitAsync(NodeRig.Patience);
        Assert.Equal((2, 0), (report.Confirmed, report.Removed));
        await left.FlushAsync().WaitAsync(NodeRig.Patience);
        QuickSilverException late = await Assert.ThrowsAsync<QuickSilverException>(
            async () => await a.JoinAsync("late"));
        Assert.Equal(ErrorCode.JoinTimedOut, late.Code);
        Assert.Contains("membership server", late.Message, StringComparison.Ordinal);
        using (var limit = new CancellationTokenSource(100))
            await Assert.ThrowsAnyAsync<OperationCanceledException>(
                async () => await a.JoinAsync("later", null, limit.Token));
        Assert.Equal(NodeState.MembershipLost, a.State);

        gate.Open();
        await NodeRig.UntilAsync(
            () => a.State == NodeState.Running && b.State == NodeState.Running, "the server is found again");
        Group joined = await b.JoinAsync("late").WaitAsync(NodeRig.Patience);
        Assert.Equal(["without a server"], await NodeRig.ReadAsync(right, 1));
        await NodeRig.UntilAsync(() => joined.View.MemberCount == 1, "joins that were given up are undone");
        await NodeRig.UntilAsync(
            async () => (await a.GetTopGroupsAsync(9)).Count == 1, "the other node is in one group");
        Assert.Equal(NodeState.Running, host.State);
        await NodeRig.UntilAsync(() => states.Count >= 2, "both changes are told");
        Assert.Equal(
            [(NodeState.Running, NodeState.MembershipLost), (NodeState.MembershipLost, NodeState.Running)],
            states.Select(static state => (state.Before, state.After)));
        Assert.All(states, static state => Assert.NotEqual("", state.Reason));
        Assert.NotNull(left.View.Find(a.Id));
        Assert.False(left.Completion.IsCompleted);

        void Client(QuickSilverOptions options) => ClientOf(options, gate.Port);
    }

    [Fact]
    public async Task A_server_that_is_started_again_at_its_address_takes_the_members_over()
    {
        await using var rig = new NodeRig();
        QuickSilverNode host = await rig.StartAsync(QuickHost);
        QuickSilverNode a = await rig.StartAsync(options => ClientOf(options, rig.Port));
        QuickSilverNode b = await rig.StartAsync(options => ClientOf(options, rig.Port));
        Group left = await a.JoinAsync("group");
        Group right = await b.JoinAsync("group");
        await left.WaitForMembersAsync(2).WaitAsync(NodeRig.Patience);
        (MemberId idOfA, MemberId idOfB) = (a.Id, b.Id);
        await host.DisposeAsync();
        await NodeRig.UntilAsync(
            () => a.State == NodeState.MembershipLost && b.State == NodeState.MembershipLost, "the loss is noticed");
        await left.SendConfirmedAsync("without a server").WaitAsync(NodeRig.Patience);

        await rig.StartAsync(QuickHost);
        await NodeRig.UntilAsync(
            () => a.State == NodeState.Running && b.State == NodeState.Running, "the new server is found");
        Group third = await a.JoinAsync("later").WaitAsync(NodeRig.Patience);
        await left.SendConfirmedAsync("with a new one").WaitAsync(NodeRig.Patience);
        Assert.Equal(["without a server", "with a new one"], await NodeRig.ReadAsync(right, 2));
        Assert.Equal((idOfA, idOfB), (a.Id, b.Id));
        Assert.Equal(1, third.View.MemberCount);
        Assert.False(left.Completion.IsCompleted || right.Completion.IsCompleted);

        static void QuickHost(QuickSilverOptions options)
        {
            Host(options);
            Trouble.Quick(options);
            Trouble.Patient(options);
        }
    }

    [Fact]
    public async Task A_join_that_times_out_names_the_member_it_waited_for()
    {
        await using var rig = new NodeRig();
        await rig.StartAsync(Patient);
        Group stuck = await (await rig.StartAsync(Patient)).JoinAsync("group");
        QuickSilverNode joiner = await rig.StartAsync(Patient);
        using (Trouble.Frozen frozen = await Trouble.FreezeAsync(stuck.Node))
        {
            QuickSilverException late = await Assert.ThrowsAsync<QuickSilverException>(
                async () => await joiner.JoinAsync("group"));
            Assert.Equal(ErrorCode.JoinTimedOut, late.Code);
            Assert.Contains(stuck.Node.Name, late.Message, StringComparison.Ordinal);
            Assert.Contains("Membership.FailureTimeout", late.Message, StringComparison.Ordinal);
            Assert.NotEqual("", late.Diagnostics);
        }
        await using Group joined = await joiner.JoinAsync("group").WaitAsync(NodeRig.Patience);
        await joined.WaitForMembersAsync(2).WaitAsync(NodeRig.Patience);
        await stuck.SendConfirmedAsync("at last").WaitAsync(NodeRig.Patience);

        static void Patient(QuickSilverOptions options)
        {
            Trouble.Patient(options);
            options.Membership.JoinTimeout = TimeSpan.FromSeconds(5);
            options.Membership.InstallTimeout = TimeSpan.FromMilliseconds(500);
            options.Shutdown.DrainTimeout = TimeSpan.FromSeconds(1);
        }
    }

    [Fact]
    public async Task A_node_that_freezes_for_too_long_is_told_ends_its_handles_and_comes_back()
    {
        await using var rig = new NodeRig();
        await rig.StartAsync(Trouble.Quick);
        (Group left, Group right) = await rig.StartPairAsync(change: Trouble.Quick);
        QuickSilverNode node = right.Node;
        Group second = await node.JoinAsync("second");
        var events = new ConcurrentQueue<NodeEvent>();
        node.Events += (_, happened) => events.Enqueue(happened);
        await left.SendConfirmedAsync("before");
        MemberId before = node.Id;
        long received = node.GetStatistics().MessagesReceived;
        Trouble.Frozen frozen = await Trouble.FreezeAsync(node);
        await NodeRig.UntilAsync(() => left.View.MemberCount == 1, "the others go on without it");
        await left.SendConfirmedAsync("meanwhile").WaitAsync(NodeRig.Patience);
        frozen.Dispose();

        foreach (Group handle in new[] { right, second })
        {
            NodeEvictedException reason = await Assert.ThrowsAsync<NodeEvictedException>(
                async () => await handle.Completion.WaitAsync(NodeRig.Patience));
            Assert.Equal(ErrorCode.Evicted, reason.Code);
            Assert.Equal(0, reason.MessagesInDoubt);
            await Assert.ThrowsAsync<NodeEvictedException>(async () => await handle.SendAsync("late"));
            Assert.Equal(SendStatus.NotMember, handle.TrySend("late"));
        }
        Assert.Equal(["before"], await NodeRig.ReadAsync(right, 1));
        await Assert.ThrowsAsync<NodeEvictedException>(async () => await NodeRig.ReadToEndAsync(right));
        await NodeRig.UntilAsync(() => events.Any(static happened => happened is NodeRejoined), "it returns");
        NodeRejoined back = events.OfType<NodeRejoined>().Single();
        Assert.Equal((before, node.Id), (back.Before, back.After));
        Assert.Equal(2, events.OfType<GroupEnded>().Count());
        Assert.Contains(events.OfType<NodeStateChanged>(), static state => state.After == NodeState.Evicted);
        Assert.Equal(NodeState.Running, node.State);

        Group again = await node.JoinAsync("group").WaitAsync(NodeRig.Patience);
        await again.WaitForMembersAsync(2).WaitAsync(NodeRig.Patience);
        Assert.Equal(2, (await left.SendConfirmedAsync("after")).Confirmed);
        Assert.Equal(["after"], await NodeRig.ReadAsync(again, 1));
        await NodeRig.UntilAsync(() => node.GetStatistics().MessagesReceived > received, "its figures go on");
        await right.DisposeAsync();
    }

    [Fact]
    public async Task A_node_that_is_out_of_reach_again_stays_away_before_it_returns()
    {
        await using var rig = new NodeRig();
        await rig.StartAsync(Trouble.Quick);
        QuickSilverNode node = await rig.StartAsync(Trouble.Quick);
        MemberId first = node.Id;
        Trouble.Expel(node, MembershipRefusal.Unreachable);
        await NodeRig.UntilAsync(() => node.State == NodeState.Running && node.Id != first, "it returns at once");
        MemberId second = node.Id;
        long start = Stopwatch.GetTimestamp();
        Trouble.Expel(node, MembershipRefusal.Unreachable);
        await NodeRig.UntilAsync(() => node.State == NodeState.Evicted, "it is out");
        await NodeRig.UntilAsync(
            () => node.State == NodeState.Running && node.Id != second, "it returns after a period");
        Assert.True(Stopwatch.GetElapsedTime(start) >= TimeSpan.FromSeconds(2));
        await node.JoinAsync("group").WaitAsync(NodeRig.Patience);

        Trouble.Expel(node, MembershipRefusal.Unreachable);
        await NodeRig.UntilAsync(() => node.State == NodeState.Evicted, "it is out again");
        await node.DisposeAsync().AsTask().WaitAsync(NodeRig.Patience);
    }

    [Fact]
    public async Task A_server_that_cannot_be_reached_is_named_with_what_to_do()
    {
        var options = new QuickSilverOptions();
        ClientOf(options, 1);
        options.Membership.JoinTimeout = TimeSpan.FromSeconds(2);
        MembershipUnavailableException thrown = await Assert.ThrowsAsync<MembershipUnavailableException>(
            () => QuickSilverNode.StartAsync(options));
        Assert.Equal(ErrorCode.MembershipUnreachable, thrown.Code);
        Assert.Contains("Membership.Servers", thrown.Message, StringComparison.Ordinal);
    }

    private static void Host(QuickSilverOptions options)
    {
        options.Membership.ReconnectGrace = TimeSpan.FromSeconds(30);
        options.Membership.FailureTimeout = TimeSpan.FromSeconds(30);
        options.OnNetwork(MembershipMode.Host);
        options.Transport.Interface = "127.0.0.1";
    }

    private static void ClientOf(QuickSilverOptions options, int port)
    {
        options.Membership.HeartbeatInterval = TimeSpan.FromMilliseconds(250);
        options.OnNetwork(MembershipMode.Client);
        options.Membership.Servers.Add($"127.0.0.1:{port}");
        options.Membership.JoinTimeout = TimeSpan.FromSeconds(5);
        options.Shutdown.DrainTimeout = TimeSpan.FromSeconds(1);
        options.Transport.Interface = "127.0.0.1";
    }
}
