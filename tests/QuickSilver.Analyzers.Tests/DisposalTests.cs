namespace QuickSilver.Analyzers.Tests;

/// <summary>QS0002.</summary>
public sealed class DisposalTests
{
    [Fact]
    public async Task Nodes_leases_and_groups_of_a_node_that_stays_are_missed() => Assert.Equal(
        ["QS0002 node", "QS0002 group", "QS0002 publisher", "QS0002 inbox", "QS0002 lease"],
        await Analysis.FindAsync("""
            async Task Start()
            {
                QuickSilverNode node = await QuickSilverNode.StartAsync();
                await (await node.JoinAsync("g")).SendAsync(new byte[1].AsMemory());
            }

            async Task Join()
            {
                Group group = await _node.JoinAsync("g").ConfigureAwait(false);
                await group.SendAsync(new byte[1].AsMemory());
                GroupPublisher publisher = await _node.OpenPublisherAsync("g");
                publisher.TrySend(new byte[1]);
                Inbox inbox = _node.CreateInbox();
            }

            async Task Read(Group group)
            {
                await foreach (MessageLease lease in group.ReadLeasedAsync()) Console.WriteLine(lease.Payload.Length);
            }
            """));

    [Fact]
    public async Task Extension_methods_and_blocking_waits_hide_nothing() => Assert.Equal(
        ["QS0002 group", "QS0002 publisher", "QS0002 node", "QS0002 other"],
        await Analysis.FindAsync("""
            async Task Text()
            {
                var group = await _node.JoinAsync("g");
                await group.SendAsync("text");
                var publisher = await _node.OpenPublisherAsync("g");
                await publisher.SendConfirmedAsync("text");
            }

            void Blocks()
            {
                var node = QuickSilverNode.StartAsync().Result;
                var other = QuickSilverNode.StartAsync().GetAwaiter().GetResult();
            }
            """));

    [Fact]
    public async Task What_is_disposed_of_passed_on_kept_or_ends_with_its_node_is_well() => Assert.Empty(
        await Analysis.FindAsync("""
            private Group? _group;

            async Task Ends()
            {
                await using QuickSilverNode node = await QuickSilverNode.StartAsync();
                Group group = await node.JoinAsync("g");
                await group.SendAsync(new byte[1].AsMemory());
            }

            async Task Left()
            {
                Group group = await _node.JoinAsync("g");
                await group.SendAsync(new byte[1].AsMemory());
                await group.LeaveAsync();
            }

            async Task<Group> Returned()
            {
                Group group = await _node.JoinAsync("g");
                return group;
            }

            async Task Kept()
            {
                Group group = await _node.JoinAsync("g");
                _group = group;
            }

            async Task Passed(List<Group> groups)
            {
                Group group = await _node.JoinAsync("g");
                groups.Add(group);
            }

            async Task Captured()
            {
                Group group = await _node.JoinAsync("g");
                _ = Task.Run(() => group.DisposeAsync());
            }

            async Task OfTheHost(IQuickSilverNode host)
            {
                QuickSilverNode node = await host.GetNodeAsync();
                Console.WriteLine(node.Name);
            }

            async Task Leases(Group group, TestCluster cluster)
            {
                await foreach (MessageLease lease in group.ReadLeasedAsync()) using (lease) { }
                await foreach (MessageLease lease in group.ReadLeasedAsync()) lease.Dispose();
                QuickSilverNode node = await cluster.StartNodeAsync("another");
                Group other = await cluster["another"].JoinAsync("g");
                Console.WriteLine(node.Name + other.Name);
            }

            async Task Using()
            {
                QuickSilverNode node;
                await using (node = await QuickSilverNode.StartAsync()) { }
                await using (QuickSilverNode other = await QuickSilverNode.StartAsync()) { }
            }
            """));
}
