using System.Collections.Concurrent;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Hosting;
using QuickSilver.Hosting.Tests.Handlers;
using QuickSilver.Loop;
using QuickSilver.Runtime;
using QuickSilver.Testing;
using QuickSilver.Tests.Api;

namespace QuickSilver.Hosting.Tests;

/// <summary>A hosted group whose handle has ended is joined again, or tells why it is not.</summary>
public sealed class HostedReturnTests
{
    [Fact]
    public async Task An_evicted_node_joins_its_groups_again_and_says_so()
    {
        await using var rig = new HostRig();
        IHost host = await rig.StartAsync(services =>
        {
            services.AddSingleton<Seen>();
            services.AddQuickSilver(rig.Here).AddGroup("group").AddHandler<FragileHandler>("group").AddHealthCheck();
        });
        IQuickSilverNode hosted = host.Services.GetRequiredService<IQuickSilverNode>();
        QuickSilverNode node = await hosted.GetNodeAsync();
        IQuickSilverGroup group = hosted.GetGroup("group");
        Group before = await group.GetHandleAsync();
        var events = new ConcurrentQueue<GroupRejoined>();
        group.Rejoined += (_, happened) => events.Enqueue(happened);
        Trouble.Expel(node);
        await NodeRig.UntilAsync(() => group.Rejoins == 1, "it is back");
        await group.SendAsync("after"u8.ToArray());
        Seen seen = host.Services.GetRequiredService<Seen>();
        await NodeRig.UntilAsync(() => seen.Texts.Contains("after"), "it hears itself");
        Assert.NotSame(before, await group.GetHandleAsync());
        await NodeRig.UntilAsync(() => !events.IsEmpty, "the event is raised");
        GroupRejoined told = Assert.Single(events);
        Assert.IsType<NodeEvictedException>(told.Reason);
        await rig.UntilLoggedAsync(1611, 1612);
        HealthCheckService health = host.Services.GetRequiredService<HealthCheckService>();
        await HostRig.UntilWellAsync(health);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task An_eviction_during_the_first_join_is_joined_again_too(bool requests)
    {
        await using var rig = new HostRig();
        QuickSilverNode other = await rig.StartNodeAsync();
        await other.JoinAsync("group");
        var node = new NodeSwitch(new MonotonicClock());
        IHost host = rig.Build(services =>
        {
            QuickSilverBuilder builder = services.AddQuickSilver(options =>
            {
                rig.Here(options);
                options.Faults = new FaultOptions { Switch = node };
            });
            if (requests)
                builder.AddRequestGroup("group", StockContext.Default.Question, StockContext.Default.Answer);
            else
                builder.AddGroup("group", static group => group.RejoinPause = TimeSpan.FromMilliseconds(10));
        });
        Task starting;
        // A join ends when every member has switched: this one cannot.
        using (await Trouble.FreezeAsync(other))
        {
            starting = host.StartAsync();
            await NodeRig.UntilAsync(
                () => node.Node is QuickSilverNode { State: NodeState.Running } || starting.IsCompleted,
                "it has started");
            var joining = (QuickSilverNode)node.Node!;
            var key = new GroupKey("group", false);
            await NodeRig.UntilAsync(() => IsJoiningAsync(joining, key), "it joins");
            Trouble.Expel(joining);
            await rig.UntilLoggedAsync(1622);
        }
        await starting.WaitAsync(NodeRig.Patience);
        IQuickSilverNode hosted = host.Services.GetRequiredService<IQuickSilverNode>();
        if (!requests) await hosted.GetGroup("group").SendAsync(new byte[1]);

        static Task<bool> IsJoiningAsync(QuickSilverNode node, GroupKey key)
        {
            var answer = new TaskCompletionSource<bool>(TaskCreationOptions.RunContinuationsAsynchronously);
            Assert.True(node.Core.Services.TryPost(
                _ => answer.SetResult(node.Core.Directory.TryGet(key, out GroupCore? unused))));
            return answer.Task.WaitAsync(NodeRig.Patience);
        }
    }

    [Fact]
    public async Task A_handler_that_runs_no_more_is_unhealthy()
    {
        await using var rig = new HostRig();
        IHost host = await rig.StartAsync(services =>
        {
            services.AddSingleton<Seen>();
            services.AddHostedService<Thief>();
            services.AddQuickSilver(rig.Here).AddGroup("group").AddHandler<FragileHandler>("group").AddHealthCheck();
        });
        HealthCheckService health = host.Services.GetRequiredService<HealthCheckService>();
        await NodeRig.UntilAsync(
            async () => await health.CheckHealthAsync() is { Status: HealthStatus.Unhealthy } report
                && report.Entries["quicksilver"].Description!.Contains(
                    "the handlers of group 'group' are called no more: ", StringComparison.Ordinal),
            "it is unhealthy");
        await rig.UntilLoggedAsync(1617);
    }

    [Fact]
    public async Task A_handler_goes_on_after_each_of_many_evictions()
    {
        await using var rig = new HostRig();
        IHost host = await rig.StartAsync(services =>
        {
            services.AddSingleton<Seen>();
            QuickSilverBuilder builder = services.AddQuickSilver(rig.Here);
            for (int number = 0; number < 20; number++)
                builder.AddGroup($"group {number}").AddHandler<FragileHandler>($"group {number}");
        });
        IQuickSilverNode hosted = host.Services.GetRequiredService<IQuickSilverNode>();
        IQuickSilverGroup[] groups = [.. Enumerable.Range(0, 20).Select(number => hosted.GetGroup($"group {number}"))];
        Seen seen = host.Services.GetRequiredService<Seen>();
        for (int round = 1; round <= 10; round++)
        {
            Trouble.Expel(await hosted.GetNodeAsync());
            await NodeRig.UntilAsync(() => groups.All(group => group.Rejoins >= round), "all are back");
            for (int number = 0; number < groups.Length; number++)
            {
                string text = $"{number} after {round}";
                await groups[number].SendAsync(System.Text.Encoding.UTF8.GetBytes(text));
                await NodeRig.UntilAsync(() => seen.Texts.Contains(text), $"{text} is handled");
            }
        }
        Assert.DoesNotContain(1617, rig.Loggers.Ids);
    }

    [Fact]
    public async Task A_group_whose_policy_is_not_to_return_ends_and_is_unhealthy()
    {
        await using var rig = new HostRig();
        IHost host = await rig.StartAsync(services => services.AddQuickSilver(rig.Here)
            .AddGroup("group", static group => group.RejoinAfterEviction = false).AddHealthCheck());
        IQuickSilverNode hosted = host.Services.GetRequiredService<IQuickSilverNode>();
        IQuickSilverGroup group = hosted.GetGroup("group");
        HealthCheckService health = host.Services.GetRequiredService<HealthCheckService>();
        await HostRig.UntilWellAsync(health);
        Trouble.Expel(await hosted.GetNodeAsync());
        await Assert.ThrowsAsync<NodeEvictedException>(async () =>
        {
            while (true)
            {
                await group.SendAsync(new byte[1]);
                await Task.Delay(5);
            }
        }).WaitAsync(NodeRig.Patience);
        // The handle has ended before the host hears of it.
        await NodeRig.UntilAsync(
            async () => await health.CheckHealthAsync() is { Status: HealthStatus.Unhealthy } report
                && report.Entries["quicksilver"].Description!.Contains(
                    "group 'group' has ended", StringComparison.Ordinal),
            "the end of the group is unhealthy");
        await rig.UntilLoggedAsync(1614);
    }

    [Fact]
    public async Task A_reader_that_was_too_slow_is_joined_again()
    {
        await using var rig = new HostRig();
        IHost host = await rig.StartAsync(services =>
        {
            services.AddSingleton<Gate>();
            services.AddQuickSilver(rig.Here)
                .AddGroup("group", static group => group.Group.InboxMaxMessages = 10)
                .AddHandler<GatedHandler>("group").AddHealthCheck();
        });
        Gate gate = host.Services.GetRequiredService<Gate>();
        IQuickSilverGroup group = host.Services.GetRequiredKeyedService<IQuickSilverGroup>("group");
        Group sender = await (await rig.StartNodeAsync()).JoinAsync("group");
        for (int number = 0; number < 100; number++) await sender.SendAsync($"{number}");
        // More than once, where the handle is joined again before all is sent.
        await NodeRig.UntilAsync(() => group.Rejoins >= 1, "it is back");
        HealthCheckService health = host.Services.GetRequiredService<HealthCheckService>();
        await NodeRig.UntilAsync(
            async () => await health.CheckHealthAsync() is { Status: HealthStatus.Degraded } report
                && report.Entries["quicksilver"].Description!.Contains(
                    "a reader was too slow", StringComparison.Ordinal),
            "the reader is told of");
        gate.Open.SetResult();
        await NodeRig.UntilAsync(
            async () =>
            {
                await sender.SendAsync("after");
                return gate.Texts.Contains("after");
            },
            "it goes on");
    }

    [Fact]
    public async Task A_group_that_is_left_for_a_handlers_fault_keeps_that_as_its_reason()
    {
        await using var rig = new HostRig();
        IHost host = await rig.StartAsync(services => services.AddQuickSilver(rig.Here).AddGroup(
                "group", static group => group.Group.HandlerErrors = HandlerErrorPolicy.LeaveGroup)
            .AddHandler<BrokenHandler>("group").AddHealthCheck());
        IQuickSilverGroup group = host.Services.GetRequiredKeyedService<IQuickSilverGroup>("group");
        Group handle = await group.GetHandleAsync();
        await group.SendAsync(new byte[1]);
        await handle.Completion.WaitAsync(NodeRig.Patience);
        // The stop waits for all that follows the handle.
        await host.StopAsync().WaitAsync(NodeRig.Patience);
        QuickSilverException told = await Assert.ThrowsAsync<QuickSilverException>(
            async () => await group.SendAsync(new byte[1]));
        Assert.Equal(ErrorCode.HandlerFailed, told.Code);
        HealthReport report = await host.Services.GetRequiredService<HealthCheckService>().CheckHealthAsync();
        Assert.Contains(
            $"group 'group' has ended: {told.Message}", report.Entries["quicksilver"].Description!,
            StringComparison.Ordinal);
    }

    // Reads the group before its handlers do.
    internal sealed class Thief([FromKeyedServices("group")] IQuickSilverGroup group) : IHostedService
    {
        public async Task StartAsync(CancellationToken cancellationToken) =>
            _ = (await group.GetHandleAsync(cancellationToken)).ReadAllAsync(CancellationToken.None)
                .GetAsyncEnumerator(CancellationToken.None).MoveNextAsync();

        public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;
    }

    [Fact]
    public async Task A_handlers_fault_counts_though_the_handle_of_its_message_has_ended()
    {
        await using var rig = new HostRig();
        IHost host = await rig.StartAsync(services =>
        {
            services.AddSingleton<Gate>();
            services.AddQuickSilver(rig.Here)
                .AddGroup("group", static group =>
                {
                    group.Group.InboxMaxMessages = 10;
                    group.Group.HandlerErrors = HandlerErrorPolicy.LeaveGroup;
                })
                .AddHandler<GatedHandler>("group");
        });
        Gate gate = host.Services.GetRequiredService<Gate>();
        IQuickSilverGroup group = host.Services.GetRequiredKeyedService<IQuickSilverGroup>("group");
        Group sender = await (await rig.StartNodeAsync()).JoinAsync("group");
        for (int number = 0; number < 100; number++) await sender.SendAsync($"{number}");
        await NodeRig.UntilAsync(() => group.Rejoins >= 1, "it is back");
        gate.Open.SetException(new InvalidOperationException("of the old handle"));
        await NodeRig.UntilAsync(
            async () => await Record.ExceptionAsync(async () => await group.SendAsync(new byte[1])) is
                QuickSilverException { Code: ErrorCode.HandlerFailed },
            "the group is left for the handler's fault");
    }
}
