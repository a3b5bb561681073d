using System.Collections.Concurrent;
using System.Text;
using QuickSilver.Testing;

namespace QuickSilver.Tests.Api;

/// <summary>The cluster that users' tests have: nodes in memory, crashed, cut and healed.</summary>
public sealed class TestClusterTests
{
    private static CancellationToken Ct => TestContext.Current.CancellationToken;

    [Fact]
    public async Task Waiting_for_processed_waits_for_handlers_readers_and_what_they_send()
    {
        await using TestCluster cluster = await TestCluster.StartAsync(["a", "b"], cancellationToken: Ct);
        int inline = 0, replies = 0;
        Group questions = await cluster["a"].JoinAsync(
            "questions", new GroupOptions { OnMessage = (in _) => inline++ }, Ct);
        await cluster["a"].JoinAsync("answers", new GroupOptions { OnMessage = (in _) => replies++ }, Ct);
        Group reader = await cluster["b"].JoinAsync("questions", cancellationToken: Ct);
        Group answers = await cluster["b"].JoinAsync("answers", new GroupOptions { SelfDelivery = false }, Ct);
        Task reading = Task.Run(
            async () =>
            {
                await foreach (Message message in reader.ReadAllAsync(Ct))
                {
                    // The handler is slow, and sends when it is done.
                    await Task.Delay(2, Ct);
                    await answers.SendAsync(message.Payload, Ct);
                }
            },
            Ct);
        for (int index = 0; index < 50; index++) await questions.SendAsync("?"u8.ToArray(), Ct);
        await cluster.WaitForProcessedAsync(cancellationToken: Ct);
        Assert.Equal(50, inline);
        Assert.Equal(50, replies);
        await reader.DisposeAsync();
        await reading;
    }

    [Fact]
    public async Task Waiting_in_vain_says_what_is_not_processed()
    {
        await using TestCluster cluster = await TestCluster.StartAsync(["a", "b"], cancellationToken: Ct);
        Group sender = await cluster["a"].JoinAsync("g", new GroupOptions { SelfDelivery = false }, Ct);
        await cluster["b"].JoinAsync("g", cancellationToken: Ct);
        await sender.SendAsync("unread"u8.ToArray(), Ct);
        TimeoutException late = await Assert.ThrowsAsync<TimeoutException>(
            () => cluster.WaitForProcessedAsync(TimeSpan.FromSeconds(2), Ct));
        Assert.Contains("the group 'g' at the node 'b'", late.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_crashed_node_is_missed_and_its_name_is_free()
    {
        await using TestCluster cluster = await TestCluster.StartAsync(["a", "b"], Quick, Ct);
        Group left = await cluster["a"].JoinAsync("g", cancellationToken: Ct);
        Group crashed = await cluster["b"].JoinAsync("g", cancellationToken: Ct);
        await left.WaitForMembersAsync(2, Ct);
        await cluster.CrashAsync("b");
        await Assert.ThrowsAnyAsync<QuickSilverException>(() => crashed.SendAsync("x"u8.ToArray(), Ct).AsTask());
        await NodeRig.UntilAsync(() => left.View.Members.Count == 1, "the other is missed");
        QuickSilverNode again = await cluster.StartNodeAsync("b", Quick, Ct);
        await again.JoinAsync("g", cancellationToken: Ct);
        await left.WaitForMembersAsync(2, Ct);
    }

    [Fact]
    public async Task A_cut_node_is_evicted_and_returns_when_it_is_healed()
    {
        await using TestCluster cluster = await TestCluster.StartAsync(["a", "b"], Quick, Ct);
        Group left = await cluster["a"].JoinAsync("g", cancellationToken: Ct);
        Group away = await cluster["b"].JoinAsync("g", cancellationToken: Ct);
        await left.WaitForMembersAsync(2, Ct);
        await cluster.CutAsync("b");
        await NodeRig.UntilAsync(() => left.View.Members.Count == 1, "the other is missed");
        await cluster.HealAsync();
        await Assert.ThrowsAsync<NodeEvictedException>(() => away.Completion.WaitAsync(NodeRig.Patience, Ct));
        await NodeRig.UntilAsync(() => cluster["b"].State == NodeState.Running, "it is back");
        await cluster["b"].JoinAsync("g", cancellationToken: Ct);
        await left.WaitForMembersAsync(2, Ct);
    }

    [Fact]
    public async Task Two_nodes_that_do_not_hear_each_other_are_served_by_a_third()
    {
        string[] names = ["a", "b", "c"];
        await using TestCluster cluster = await TestCluster.StartAsync(names, cancellationToken: Ct);
        var got = new ConcurrentQueue<string>();
        var groups = new Dictionary<string, Group>();
        foreach (string name in names)
        {
            groups[name] = await cluster[name].JoinAsync(
                "g",
                new GroupOptions
                {
                    SelfDelivery = false,
                    OnMessage = (in message) => got.Enqueue($"{Encoding.UTF8.GetString(message.Payload)}-{name}"),
                },
                Ct);
        }
        foreach (Group group in groups.Values) await group.WaitForMembersAsync(3, Ct);
        await cluster.CutAsync("a", "b");
        foreach (string name in names) await groups[name].SendAsync(Encoding.UTF8.GetBytes(name), Ct);
        string[] all = ["a-b", "a-c", "b-a", "b-c", "c-a", "c-b"];
        await NodeRig.UntilAsync(() => all.All(got.Contains), "each node hears both others");
        await cluster.WaitForProcessedAsync(cancellationToken: Ct);
        Assert.Equal(all, got.Order());
        Assert.All(groups.Values, group => Assert.Equal(3, group.View.Members.Count));
    }

    [Fact]
    public async Task Two_nodes_that_do_not_hear_each_other_and_have_no_third_miss_nothing_when_they_are_healed()
    {
        await using TestCluster cluster = await TestCluster.StartAsync(["a", "b"], cancellationToken: Ct);
        var got = new ConcurrentQueue<string>();
        Group sender = await cluster["a"].JoinAsync("g", new GroupOptions { SelfDelivery = false }, Ct);
        await cluster["b"].JoinAsync("g", new GroupOptions { OnMessage = (in _) => got.Enqueue("b") }, Ct);
        await sender.WaitForMembersAsync(2, Ct);
        await cluster.CutAsync("a", "b");
        await sender.SendAsync("x"u8.ToArray(), Ct);
        Assert.Empty(got);
        await cluster.HealAsync();
        await cluster.WaitForProcessedAsync(cancellationToken: Ct);
        Assert.Equal(["b"], got);
    }

    [Fact]
    public async Task What_is_lost_is_repaired()
    {
        await using TestCluster cluster = await TestCluster.StartAsync(["a", "b"], cancellationToken: Ct);
        cluster.Loss = 0.2;
        int got = 0;
        Group sender = await cluster["a"].JoinAsync("g", new GroupOptions { SelfDelivery = false }, Ct);
        await cluster["b"].JoinAsync("g", new GroupOptions { OnMessage = (in _) => got++ }, Ct);
        for (int index = 0; index < 500; index++) await sender.SendAsync(new byte[2_000], Ct);
        await cluster.WaitForProcessedAsync(cancellationToken: Ct);
        Assert.Equal(500, got);
        Assert.Throws<ArgumentOutOfRangeException>(() => cluster.Loss = 1);
    }

    [Fact]
    public async Task Time_that_a_test_adds_passes_at_all_nodes_and_nobody_is_missed()
    {
        await using TestCluster cluster = await TestCluster.StartAsync(["a", "b"], cancellationToken: Ct);
        Group group = await cluster["a"].JoinAsync("g", cancellationToken: Ct);
        await cluster["b"].JoinAsync("g", cancellationToken: Ct);
        TimeSpan before = (await cluster["b"].GetStatisticsAsync(Ct)).Uptime;
        await cluster.AdvanceAsync(TimeSpan.FromSeconds(5), Ct);
        Assert.True((await cluster["b"].GetStatisticsAsync(Ct)).Uptime >= before + TimeSpan.FromSeconds(5));
        Assert.Equal(2, group.View.Members.Count);
    }

    [Fact]
    public async Task A_cluster_that_was_disposed_of_starts_no_node()
    {
        TestCluster cluster = await TestCluster.StartAsync(["a"], cancellationToken: Ct);
        await cluster.DisposeAsync();
        await cluster.DisposeAsync();
        await Assert.ThrowsAsync<ObjectDisposedException>(() => cluster.StartNodeAsync("b", cancellationToken: Ct));
        Assert.Throws<ObjectDisposedException>(() => cluster.Configure("b", new QuickSilverOptions()));
    }

    [Fact]
    public async Task Mistakes_name_the_node()
    {
        await using TestCluster cluster = await TestCluster.StartAsync(["a"], cancellationToken: Ct);
        Assert.Throws<ArgumentException>(() => cluster["z"]);
        await Assert.ThrowsAsync<ArgumentException>(() => cluster.CutAsync("z"));
        await Assert.ThrowsAsync<ArgumentException>(() => cluster.CrashAsync("z"));
        await Assert.ThrowsAsync<ArgumentException>(() => cluster.StartNodeAsync("a", cancellationToken: Ct));
    }

    private static void Quick(QuickSilverOptions options) =>
        options.Membership.FailureTimeout = TimeSpan.FromSeconds(2);
}
