using QuickSilver.Monitoring;
using QuickSilver.Protocol.Membership;
using QuickSilver.Tests.Api;
using QuickSilver.Tests.Diagnostics;

namespace QuickSilver.Tests.Monitoring;

/// <summary>A monitor sees all nodes of its cluster; while there is none, nobody publishes.</summary>
[Collection(NodeCollection.Name)]
public sealed class ClusterMonitorTests
{
    [Fact]
    public async Task A_monitor_sees_all_nodes_and_rates_that_move()
    {
        await using var rig = new NodeRig();
        QuickSilverNode[] nodes = await StartAsync(rig, 4);
        Group[] groups = await Task.WhenAll(nodes.Select(static node => node.JoinAsync("news")));
        await groups[0].WaitForMembersAsync(4).WaitAsync(NodeRig.Patience);
        await using ClusterMonitor monitor = await nodes[1].MonitorClusterAsync();
        using var stop = new CancellationTokenSource();
        Task sending = SendAsync(groups[0], stop.Token);
        ClusterSnapshot seen = await UntilAsync(
            monitor,
            shown => shown.Nodes.Count == 4
                && shown.Find(nodes[0].Id)!.Rates is { MessagesSent: > 0, BytesSent: > 0, DatagramsSent: > 0 }
                && shown.Find(nodes[3].Id)!.Rates is { MessagesReceived: > 0, BytesReceived: > 0 }
                && shown.Find(nodes[0].Id)!.Snapshot.Number > 2
                && !shown.Nodes.Any(static node => node.IsSilent),
            "all nodes with rates");
        Assert.Equal("tests", seen.Cluster);
        Assert.Equal(["n0", "n1", "n2", "n3"], seen.Nodes.Select(static node => node.Snapshot.Member.Name));
        Assert.Equal(0, seen.SnapshotsRejected);
        NodeSnapshot sender = seen.Find(nodes[0].Id)!.Snapshot;
        Assert.NotEmpty(sender.Version);
        Assert.Equal(NodeState.Running, sender.Statistics.State);
        Assert.Equal(["news"], sender.Groups.Select(static group => group.Name));
        Assert.Contains(sender.Regions, static region => region is { IsMember: true, Rate: > 0, RateLimit: > 0 });
        Assert.Contains(sender.Regions, region => region.Members.Any(member => member.Id == nodes[3].Id));
        Assert.InRange(sender.LoopUse, 0, 1);
        await stop.CancelAsync();
        await sending;
    }

    [Fact]
    public async Task Nothing_is_published_before_the_first_monitor_and_after_the_last()
    {
        await using var rig = new NodeRig();
        QuickSilverNode[] nodes = await StartAsync(rig, 3);
        Assert.All(nodes, static node => Assert.False(Publishes(node)));
        ClusterMonitor first = await nodes[0].MonitorClusterAsync();
        ClusterMonitor second = await nodes[2].MonitorClusterAsync();
        await UntilAsync(first, static shown => shown.Nodes.Count == 3, "the first sees all");
        await UntilAsync(second, static shown => shown.Nodes.Count == 3, "the second sees all");
        await first.DisposeAsync();
        Assert.True(first.Completion.IsCompletedSuccessfully);
        DateTimeOffset ended = second.Latest.Time;
        await UntilAsync(
            second,
            shown => shown.Time > ended.AddSeconds(2) && shown.Nodes.Count == 3
                && !shown.Nodes.Any(static node => node.IsSilent),
            "it goes on");
        await second.DisposeAsync();
        foreach (QuickSilverNode node in nodes) await NodeRig.UntilAsync(() => !Publishes(node), "nobody publishes");
        long[] sent = await SentAsync(nodes);
        await Task.Delay(TimeSpan.FromSeconds(3), TestContext.Current.CancellationToken);
        Assert.Equal(sent, await SentAsync(nodes));
        await using ClusterMonitor third = await nodes[1].MonitorClusterAsync();
        await UntilAsync(third, static shown => shown.Nodes.Count == 3, "a third sees all");
    }

    [Fact]
    public async Task A_node_that_ends_leaves_and_one_that_comes_is_shown()
    {
        await using var rig = new NodeRig();
        QuickSilverNode[] nodes = await StartAsync(rig, 4, Trouble.Quick);
        await using ClusterMonitor monitor = await nodes[0].MonitorClusterAsync();
        await UntilAsync(monitor, static shown => shown.Nodes.Count == 4, "all");
        await nodes[3].DisposeAsync();
        await UntilAsync(monitor, shown => shown.Find(nodes[3].Id) is null && shown.Nodes.Count == 3, "one has left");
        await Trouble.CrashAsync(nodes[2]);
        await UntilAsync(monitor, shown => shown.Find(nodes[2].Id) is null, "one is removed");
        QuickSilverNode late = await rig.StartAsync(static options => options.NodeName = "late");
        await UntilAsync(monitor, shown => shown.Find(late.Id) is not null, "one has come");
    }

    [Fact]
    public async Task A_node_that_stands_still_is_silent_and_named_as_slow()
    {
        await using var rig = new NodeRig();
        QuickSilverNode[] nodes = await StartAsync(rig, 4, static options =>
        {
            Trouble.Patient(options);
            options.Shutdown.DrainTimeout = TimeSpan.FromSeconds(1);
        });
        Group[] groups = await Task.WhenAll(nodes[..3].Select(static node => node.JoinAsync(
            "news", new GroupOptions { BufferBeforeFirstRead = false })));
        await groups[0].WaitForMembersAsync(3).WaitAsync(NodeRig.Patience);
        // A process of its own has no groups.
        await using ClusterMonitor monitor = await nodes[3].MonitorClusterAsync();
        await UntilAsync(monitor, static shown => shown.Nodes.Count == 4, "all");
        using var stop = new CancellationTokenSource();
        Task sending = SendAsync(groups[0], stop.Token);
        using (await Trouble.FreezeAsync(nodes[2]))
        {
            ClusterSnapshot seen = await UntilAsync(
                monitor,
                shown => shown.Slowest is [{ HoldsUp: true } lag, ..] && lag.Member.Id == nodes[2].Id
                    && shown.Find(nodes[2].Id) is { IsSilent: true },
                "the slow one is named");
            Assert.Equal(("n2", 1), (seen.Slowest[0].Member.Name, seen.Slowest.Count(lag => lag.Member.Name == "n2")));
            Assert.Equal(["news"], seen.Slowest[0].Groups);
        }
        await stop.CancelAsync();
        await sending;
        await UntilAsync(monitor, shown => shown.Find(nodes[2].Id) is { IsSilent: false }, "it is back");
    }

    [Fact]
    public async Task Readers_get_the_newest_and_end_with_the_monitor()
    {
        await using var rig = new NodeRig();
        QuickSilverNode[] nodes = await StartAsync(rig, 2);
        ClusterMonitor monitor = await nodes[0].MonitorClusterAsync();
        Assert.Empty(monitor.Latest.Nodes);
        int read = 0;
        await foreach (ClusterSnapshot shown in monitor.ReadAllAsync().WithCancellation(Limit()))
        {
            Assert.NotEmpty(shown.Nodes);
            Assert.Same(shown, monitor.Latest);
            if (++read == 3) await monitor.DisposeAsync();
        }
        Assert.Equal(3, read);
        await monitor.DisposeAsync();
        using var cancelled = new CancellationTokenSource();
        await using ClusterMonitor other = await nodes[1].MonitorClusterAsync();
        await cancelled.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () =>
        {
            await foreach (ClusterSnapshot _ in other.ReadAllAsync(cancelled.Token))
            {
            }
        });
    }

    [Fact]
    public async Task A_monitor_fails_with_the_eviction_of_its_node_and_nodes_that_return_are_shown()
    {
        await using var rig = new NodeRig();
        QuickSilverNode[] nodes = await StartAsync(rig, 3, Trouble.Quick);
        await using ClusterMonitor monitor = await nodes[0].MonitorClusterAsync();
        await using ClusterMonitor ending = await nodes[2].MonitorClusterAsync();
        await UntilAsync(monitor, static shown => shown.Nodes.Count == 3, "all");
        MemberId before = nodes[2].Id;
        Trouble.Expel(nodes[2]);
        await Assert.ThrowsAsync<NodeEvictedException>(() => ending.Completion.WaitAsync(NodeRig.Patience));
        await Assert.ThrowsAsync<NodeEvictedException>(async () =>
        {
            await foreach (ClusterSnapshot _ in ending.ReadAllAsync().WithCancellation(Limit()))
            {
            }
        });
        await NodeRig.UntilAsync(() => nodes[2].Id != before, "it is back");
        await UntilAsync(
            monitor, shown => shown.Find(nodes[2].Id) is not null && shown.Find(before) is null, "it is shown again");
        await nodes[0].DisposeAsync();
        await monitor.Completion.WaitAsync(NodeRig.Patience);
        await Assert.ThrowsAsync<ObjectDisposedException>(() => nodes[0].MonitorClusterAsync());
    }

    [Fact]
    public async Task Another_server_that_takes_over_leaves_the_monitor_at_work()
    {
        await using var rig = new NodeRig();
        QuickSilverNode[] nodes = await StartAsync(rig, 4, Trouble.Quick);
        await using ClusterMonitor monitor = await nodes[3].MonitorClusterAsync();
        await UntilAsync(monitor, static shown => shown.Nodes.Count == 4, "all");
        await nodes[0].DisposeAsync();
        QuickSilverNode late = await rig.StartAsync(static options => options.NodeName = "late");
        await UntilAsync(
            monitor, shown => shown.Find(late.Id) is not null && shown.Find(nodes[0].Id) is null, "it goes on");
        await monitor.DisposeAsync();
        foreach (QuickSilverNode node in nodes[1..].Append(late))
            await NodeRig.UntilAsync(() => !Publishes(node), "nobody publishes");
    }

    [Fact]
    public async Task Who_may_not_monitor_is_refused_and_others_go_on()
    {
        await using var rig = new NodeRig();
        var asked = new List<AuthorizationRequest>();
        await rig.StartAsync(options =>
        {
            options.NodeName = "server";
            options.Security.Authorize = request =>
            {
                lock (asked) asked.Add(request);
                return request.IsMonitor ? request.NodeName == "operator" : request.Group == "news";
            };
        });
        QuickSilverNode other = await rig.StartAsync(static options => options.NodeName = "other");
        QuickSilverNode watching = await rig.StartAsync(static options => options.NodeName = "operator");
        QuickSilverException refusal = await Assert.ThrowsAsync<QuickSilverException>(
            () => other.MonitorClusterAsync());
        Assert.Equal(ErrorCode.NotAuthorized, refusal.Code);
        Assert.Contains("IsMonitor", refusal.Message, StringComparison.Ordinal);
        await using ClusterMonitor monitor = await watching.MonitorClusterAsync();
        await UntilAsync(monitor, static shown => shown.Nodes.Count == 3, "all, though nobody may publish by the rule");
        await other.JoinAsync("news");
        lock (asked) Assert.DoesNotContain(asked, static request => request.Publishes && request.Group[0] == '$');
    }

    [Fact]
    public async Task Applications_cannot_enter_the_reserved_group()
    {
        await using var rig = new NodeRig();
        QuickSilverNode node = await rig.StartAsync();
        await Assert.ThrowsAsync<ArgumentException>(() => node.JoinAsync(StatisticsGroup.Name));
        await Assert.ThrowsAsync<ArgumentException>(() => node.JoinManyAsync(["news", StatisticsGroup.Name]));
        await Assert.ThrowsAsync<ArgumentException>(() => node.OpenPublisherAsync(StatisticsGroup.Name));
        Assert.Equal(0, node.GetStatistics().Groups);
        using var cancelled = new CancellationTokenSource();
        await cancelled.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => node.MonitorClusterAsync(cancelled.Token));
        await NodeRig.UntilAsync(() => !Publishes(node), "the cancelled monitor leaves nothing");
    }

    [Fact]
    public async Task Changes_of_views_are_noted_while_somebody_looks()
    {
        await using var rig = new NodeRig();
        QuickSilverNode[] nodes = await StartAsync(rig, 3);
        Group first = await nodes[0].JoinAsync("news");
        await using ClusterMonitor monitor = await nodes[2].MonitorClusterAsync();
        await UntilAsync(monitor, static shown => shown.Nodes.Count == 3, "all");
        Group second = await nodes[1].JoinAsync("news");
        await UntilAsync(
            monitor,
            shown => shown.Find(nodes[0].Id)!.Snapshot.Views.Any(
                static view => view is { GroupCount: 1 } && view.Joined.Contains("n1")),
            "the join");
        await second.DisposeAsync();
        await UntilAsync(
            monitor,
            shown => shown.Find(nodes[0].Id)!.Snapshot.Views.Any(static view => view.Left.Contains("n1")),
            "the leave");
        await first.DisposeAsync();
    }

    [Fact]
    public async Task A_monitor_that_stands_still_holds_up_no_flush_and_no_end_of_a_node()
    {
        await using var rig = new NodeRig();
        QuickSilverNode[] nodes = await StartAsync(rig, 3, static options =>
        {
            Trouble.Patient(options);
            options.Shutdown.Timeout = 3 * NodeRig.Patience;
            options.Shutdown.DrainTimeout = 2 * NodeRig.Patience;
        });
        await using ClusterMonitor monitor = await nodes[2].MonitorClusterAsync();
        await UntilAsync(monitor, static shown => shown.Nodes.Count == 3, "all");
        using (await Trouble.FreezeAsync(nodes[2]))
        {
            // At least one snapshot is sent that the monitor does not confirm.
            await NodeRig.UntilAsync(
                async () => (await nodes[1].GetStatisticsAsync()).PendingMessages > 0, "a snapshot is pending");
            await nodes[1].FlushAsync().WaitAsync(NodeRig.Patience);
            await nodes[1].DisposeAsync().AsTask().WaitAsync(NodeRig.Patience);
        }
        await monitor.DisposeAsync();
    }

    [Fact]
    public async Task What_is_unread_is_told_by_group()
    {
        await using var rig = new NodeRig();
        QuickSilverNode[] nodes = await StartAsync(rig, 2);
        Group full = await nodes[0].JoinAsync("full");
        await nodes[0].JoinAsync("empty");
        await using ClusterMonitor monitor = await nodes[1].MonitorClusterAsync();
        for (int index = 0; index < 7; index++) await full.SendAsync(new byte[100]);
        ClusterSnapshot seen = await UntilAsync(
            monitor, shown => shown.Find(nodes[0].Id)?.Snapshot.Inboxes is [{ Messages: 7 }], "what is unread");
        Assert.Equal([new InboxReport("full", 7, 700)], seen.Find(nodes[0].Id)!.Snapshot.Inboxes);
    }

    [Fact]
    public async Task A_snapshot_that_cannot_be_made_is_told_once_a_minute_and_the_node_goes_on()
    {
        await using var rig = new NodeRig();
        using var log = new RecordingLoggerFactory();
        QuickSilverNode node = await rig.StartAsync(options => options.UseLoggerFactory(log));
        await using GroupPublisher publisher = await node.OpenPublisherAsync("news");
        int tries = 0;
        var publishing = new SnapshotPublishing(
            node.Core, (_, _, _) => Task.FromResult(publisher.Handle), _ =>
            {
                Interlocked.Increment(ref tries);
                throw new InvalidOperationException("planted");
            });
        publishing.Start();
        await NodeRig.UntilAsync(() => Volatile.Read(ref tries) > 2 && log.Ids.Contains(1148), "it tries again");
        publishing.Stop();
        Assert.Single(log.Records, static record => record is { Id.Id: 1148, Fault.Message: "planted" });
        Assert.Equal(NodeState.Running, node.State);
    }

    [Fact]
    public async Task With_nobody_looking_no_node_sends_a_frame_for_statistics_and_no_datagram_more()
    {
        await using var rig = new NodeRig();
        QuickSilverNode[] nodes = await StartAsync(rig, 3);
        Group[] groups = await Task.WhenAll(nodes.Select(static node => node.JoinAsync("news")));
        await groups[0].WaitForMembersAsync(3).WaitAsync(NodeRig.Patience);
        await groups[0].FlushAsync().WaitAsync(NodeRig.Patience);
        // What a step leaves to be said ends, and what is sent after it is for the group of statistics or none.
        (long Datagrams, long Messages, long Views)[] before = [];
        await NodeRig.UntilAsync(
            async () =>
            {
                (long, long, long)[] seen = before;
                before = await FiguresAsync(nodes);
                await Task.Delay(TimeSpan.FromSeconds(1), TestContext.Current.CancellationToken);
                return before.SequenceEqual(seen);
            },
            "nothing more is sent");
        await Task.Delay(TimeSpan.FromSeconds(3), TestContext.Current.CancellationToken);
        Assert.Equal(before, await FiguresAsync(nodes));
        Assert.All(nodes, static node => Assert.False(Publishes(node)));
        await using (ClusterMonitor monitor = await nodes[0].MonitorClusterAsync())
            await UntilAsync(monitor, static shown => shown.Nodes.Count == 3, "all, so that the counters count");
        Assert.All(before.Zip(await FiguresAsync(nodes)), static pair =>
            Assert.True(pair.Second.Messages > pair.First.Messages && pair.Second.Datagrams > pair.First.Datagrams));
    }

    private static async Task<(long Datagrams, long Messages, long Views)[]> FiguresAsync(QuickSilverNode[] nodes)
    {
        CancellationToken stop = TestContext.Current.CancellationToken;
        NodeStatistics[] all = await Task.WhenAll(nodes.Select(node => node.GetStatisticsAsync(stop)));
        return [.. all.Select(static one => (one.DatagramsSent, one.MessagesSent, one.ViewChanges))];
    }

    private static CancellationToken Limit() => new CancellationTokenSource(NodeRig.Patience).Token;

    private static bool Publishes(QuickSilverNode node) => node.GetStatisticsAsync().Result.Publishers > 0;

    private static async Task<long[]> SentAsync(QuickSilverNode[] nodes)
    {
        CancellationToken stop = TestContext.Current.CancellationToken;
        NodeStatistics[] all = await Task.WhenAll(nodes.Select(node => node.GetStatisticsAsync(stop)));
        return [.. all.Select(static one => one.MessagesSent)];
    }

    private static async Task<QuickSilverNode[]> StartAsync(
        NodeRig rig, int count, Action<QuickSilverOptions>? change = null)
    {
        var nodes = new QuickSilverNode[count];
        for (int index = 0; index < count; index++)
        {
            string name = $"n{index}";
            nodes[index] = await rig.StartAsync(options =>
            {
                change?.Invoke(options);
                options.NodeName = name;
            });
        }
        return nodes;
    }

    private static async Task<ClusterSnapshot> UntilAsync(
        ClusterMonitor monitor, Func<ClusterSnapshot, bool> holds, string what)
    {
        await NodeRig.UntilAsync(() => holds(monitor.Latest), what);
        return monitor.Latest;
    }

    private static async Task SendAsync(Group group, CancellationToken ct)
    {
        while (!ct.IsCancellationRequested)
        {
            group.TrySend(new byte[200]);
            await Task.Delay(2, CancellationToken.None);
        }
    }
}
