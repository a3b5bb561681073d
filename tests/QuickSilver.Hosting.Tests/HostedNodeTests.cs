using System.Collections.Concurrent;
using System.Globalization;
using System.Reflection;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;
using QuickSilver.Tests.Api;

namespace QuickSilver.Hosting.Tests;

/// <summary>A node has the life of its host.</summary>
public sealed class HostedNodeTests
{
    [Fact]
    public async Task Services_that_start_before_the_node_is_registered_find_it_running()
    {
        await using var rig = new HostRig();
        IHost host = await rig.StartAsync(services =>
        {
            services.AddSingleton<EarlyService>();
            services.AddHostedService(static provider => provider.GetRequiredService<EarlyService>());
            services.AddQuickSilver(rig.Here).AddGroup("group");
        });
        EarlyService early = host.Services.GetRequiredService<EarlyService>();
        Assert.Equal(NodeState.Running, early.Seen!.State);
        await host.StopAsync().WaitAsync(NodeRig.Patience);
        Assert.True(early.HasSentAtStop);
        Assert.Equal(NodeState.Stopped, early.Seen.State);
        await early.Seen.Completion.WaitAsync(NodeRig.Patience);
        await Assert.ThrowsAsync<ObjectDisposedException>(
            () => host.Services.GetRequiredKeyedService<IQuickSilverGroup>("group").SendAsync(new byte[1]).AsTask());
    }

    [Fact]
    public async Task A_host_on_a_network_does_not_start_before_its_security_is_chosen()
    {
        await using var rig = new HostRig();
        IHost host = rig.Build(
            static services => services.AddQuickSilver(), ("QuickSilver:Membership:Mode", "Host"));
        OptionsValidationException told = await Assert.ThrowsAsync<OptionsValidationException>(
            () => host.StartAsync().WaitAsync(NodeRig.Patience));
        string finding = Assert.Single(told.Failures);
        Assert.StartsWith("Security.Mode: ", finding, StringComparison.Ordinal);
        Assert.Contains("Security.KeyFile", finding, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_failed_start_says_why_and_fails_the_host()
    {
        await using var rig = new HostRig();
        IHost host = rig.Build(static services => services.AddQuickSilver(static options =>
        {
            options.Membership.Mode = MembershipMode.Client;
            options.Security.UseNone();
            options.Membership.Servers.Add("127.0.0.1:1");
            options.Membership.JoinTimeout = TimeSpan.FromMilliseconds(300);
        }).AddGroup("group"));
        IQuickSilverNode node = host.Services.GetRequiredService<IQuickSilverNode>();
        Task<QuickSilverNode> waiting = node.GetNodeAsync();
        var told = await Assert.ThrowsAsync<MembershipUnavailableException>(
            () => host.StartAsync().WaitAsync(NodeRig.Patience));
        Assert.Contains("127.0.0.1:1", told.Message, StringComparison.Ordinal);
        Assert.Same(told, await Assert.ThrowsAsync<MembershipUnavailableException>(() => waiting));
        Assert.Same(told, await Assert.ThrowsAsync<MembershipUnavailableException>(
            () => node.GetGroup("group").GetHandleAsync().AsTask()));
        await UntilLoggedAsync(rig, 1601);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_handler_gets_every_message_in_order_and_its_faults_disturb_nothing(bool scoped)
    {
        await using var rig = new HostRig();
        IHost host = await rig.StartAsync(services =>
        {
            services.AddSingleton<Seen>();
            services.AddQuickSilver(rig.Here).AddGroup("group").AddHandler<FragileHandler>("group", scoped);
        });
        QuickSilverNode other = await rig.StartNodeAsync();
        Group group = await other.JoinAsync("group");
        for (int number = 0; number < 100; number++) await group.SendAsync($"{number}");
        Seen seen = host.Services.GetRequiredService<Seen>();
        await NodeRig.UntilAsync(() => seen.Texts.Count == 100, "all are handled");
        Assert.Equal(Enumerable.Range(0, 100).Select(static number => $"{number}"), seen.Texts);
        Assert.Equal(scoped ? 100 : 1, seen.Handlers.Distinct().Count());
        Assert.Single(rig.Loggers.Ids, static id => id == 1615);
    }

    [Fact]
    public async Task An_inline_handler_is_called_by_the_core()
    {
        await using var rig = new HostRig();
        IHost host = await rig.StartAsync(services =>
            services.AddQuickSilver(rig.Here).AddGroup("group").AddHandler<InlineCounter>("group"));
        IQuickSilverGroup group = host.Services.GetRequiredKeyedService<IQuickSilverGroup>("group");
        for (int number = 0; number < 10; number++) await group.SendAsync(new byte[8]);
        InlineCounter counter = host.Services.GetRequiredService<InlineCounter>();
        await NodeRig.UntilAsync(() => Volatile.Read(ref counter.Count) == 10, "all are counted");
    }

    [Fact]
    public async Task A_stop_handles_what_is_stored()
    {
        await using var rig = new HostRig();
        IHost host = await rig.StartAsync(services =>
        {
            services.AddSingleton<Seen>();
            services.AddQuickSilver(rig.Here).AddGroup("group").AddHandler<SlowHandler>("group");
        });
        Group group = await (await rig.StartNodeAsync()).JoinAsync("group");
        for (int number = 0; number < 200; number++) await group.SendAsync($"{number}");
        await group.FlushAsync();
        await host.StopAsync().WaitAsync(NodeRig.Patience);
        Assert.Equal(200, host.Services.GetRequiredService<Seen>().Texts.Count);
    }

    [Fact]
    public async Task A_group_that_is_left_before_its_reading_begins_is_no_fault()
    {
        await using var rig = new HostRig();
        IHost host = await rig.StartAsync(services => services.AddSingleton<LeavingService>()
            .AddHostedService(static provider => provider.GetRequiredService<LeavingService>())
            .AddSingleton<Seen>()
            .AddQuickSilver(rig.Here).AddGroup("group").AddHandler<FragileHandler>("group"));
        await host.StopAsync().WaitAsync(NodeRig.Patience);
        Assert.DoesNotContain(1617, rig.Loggers.Ids);
    }

    [Fact]
    public async Task A_scoped_handler_may_be_disposable_in_the_asynchronous_way_alone()
    {
        await using var rig = new HostRig();
        IHost host = await rig.StartAsync(services =>
        {
            services.AddSingleton<Seen>();
            services.AddQuickSilver(rig.Here).AddGroup("group")
                .AddHandler<DisposableHandler>("group", scopePerMessage: true);
        });
        await host.Services.GetRequiredKeyedService<IQuickSilverGroup>("group").SendAsync("x"u8.ToArray());
        Seen seen = host.Services.GetRequiredService<Seen>();
        // One is made at the start to see whether it can be.
        await NodeRig.UntilAsync(() => seen.Texts.Count(static text => text == "disposed") == 2, "it is disposed of");
        Assert.Contains("x", seen.Texts);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_host_that_is_disposed_of_without_a_stop_ends_handlers_that_wait(bool isAsync)
    {
        await using var rig = new HostRig();
        IHost host = await rig.StartAsync(services =>
        {
            services.AddSingleton<Gate>();
            services.AddQuickSilver(rig.Here).AddGroup("group").AddHandler<GatedHandler>("group");
        });
        QuickSilverNode node = await host.Services.GetRequiredService<IQuickSilverNode>().GetNodeAsync();
        IQuickSilverGroup group = host.Services.GetRequiredKeyedService<IQuickSilverGroup>("group");
        Gate gate = host.Services.GetRequiredService<Gate>();
        await group.SendAsync(new byte[1]);
        await gate.Entered.Task.WaitAsync(NodeRig.Patience);
        Task disposal = isAsync ? ((IAsyncDisposable)host).DisposeAsync().AsTask() : Task.Run(host.Dispose);
        await disposal.WaitAsync(NodeRig.Patience);
        Assert.Equal(NodeState.Stopped, node.State);
        await UntilLoggedAsync(rig, 1605);
    }

    [Fact]
    public async Task Every_option_of_a_group_reaches_its_handles_and_is_compared()
    {
        var plain = new HostedGroupOptions();
        foreach (PropertyInfo option in typeof(GroupOptions).GetProperties().Where(static one => one.CanWrite))
        {
            if (option.Name == nameof(GroupOptions.Inbox)) continue;
            var changed = new HostedGroupOptions();
            option.SetValue(changed.Group, OtherThan(option, option.GetValue(plain.Group)));
            Assert.Equal(option.GetValue(changed.Group), option.GetValue(changed.HandleOptions(null)));
            Assert.False(HostedGroupOptions.AreEqual(plain.Group, changed.Group), option.Name);
        }
        await using var rig = new HostRig();
        Inbox inbox = (await rig.StartNodeAsync()).CreateInbox();
        IHost host = rig.Build(services => services.AddQuickSilver(rig.Here)
            .AddGroup("group", group => group.Group.Inbox = inbox));
        OptionsValidationException told = await Assert.ThrowsAsync<OptionsValidationException>(() => host.StartAsync());
        Assert.StartsWith("Groups[group].Group.Inbox: ", Assert.Single(told.Failures), StringComparison.Ordinal);
    }

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
        await UntilLoggedAsync(rig, 1611, 1612);
        HealthCheckService health = host.Services.GetRequiredService<HealthCheckService>();
        await NodeRig.UntilAsync(
            async () => (await health.CheckHealthAsync()).Status == HealthStatus.Healthy, "the node is healthy");
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
        Assert.Equal(HealthStatus.Healthy, (await health.CheckHealthAsync()).Status);
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
        await UntilLoggedAsync(rig, 1614);
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

    [Fact]
    public async Task A_node_that_ends_by_itself_fails_the_host()
    {
        await using var rig = new HostRig();
        IHost host = await rig.StartAsync(services => services.AddQuickSilver(rig.Here).AddGroup(
                "group", static group => group.Group.HandlerErrors = HandlerErrorPolicy.StopNode)
            .AddHandler<BrokenHandler>("group"));
        Task running = host.WaitForShutdownAsync();
        await host.Services.GetRequiredKeyedService<IQuickSilverGroup>("group").SendAsync(new byte[1]);
        QuickSilverException told = await Assert.ThrowsAsync<QuickSilverException>(
            () => running.WaitAsync(NodeRig.Patience));
        Assert.Equal(ErrorCode.HandlerFailed, told.Code);
        Assert.Contains(nameof(BrokenHandler), told.Message, StringComparison.Ordinal);
        await UntilLoggedAsync(rig, 1603);
    }

    [Fact]
    public async Task A_check_before_the_start_is_unhealthy_and_tagged_ready()
    {
        await using var rig = new HostRig();
        IHost host = rig.Build(services => services.AddQuickSilver(rig.Here).AddHealthCheck());
        HealthReport report = await host.Services.GetRequiredService<HealthCheckService>().CheckHealthAsync();
        HealthReportEntry entry = report.Entries["quicksilver"];
        Assert.Equal(HealthStatus.Unhealthy, entry.Status);
        Assert.Equal(["ready"], entry.Tags);
    }

    // What happens is told after it has happened, on threads of the host's own.
    private static async Task UntilLoggedAsync(HostRig rig, params int[] ids)
    {
        foreach (int id in ids) await NodeRig.UntilAsync(() => rig.Loggers.Ids.Contains(id), $"{id} is logged");
    }

    // Leaves before handlers are called.
    internal sealed class LeavingService(IQuickSilverNode node) : IHostedService
    {
        public async Task StartAsync(CancellationToken cancellationToken)
        {
            Group handle = await node.GetGroup("group").GetHandleAsync(cancellationToken);
            _ = handle.LeaveAsync(CancellationToken.None);
        }

        public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;
    }

    private static object OtherThan(PropertyInfo option, object? value)
    {
        Type type = Nullable.GetUnderlyingType(option.PropertyType) ?? option.PropertyType;
        if (type == typeof(bool)) return value is not true;
        if (type.IsEnum) return Enum.GetValues(type).Cast<object>().First(one => !one.Equals(value));
        if (type == typeof(MessageHandler)) return new MessageHandler(static (in MessageRef _) => { });
        if (type == typeof(MessageBatchHandler)) return new MessageBatchHandler(static (in MessageBatch _) => { });
        if (type == typeof(KeySelector)) return new KeySelector(static (in MessageRef _) => 0);
        return type.IsPrimitive
            ? Convert.ChangeType(17, type, CultureInfo.InvariantCulture)
            : Activator.CreateInstance(type)!;
    }

    internal sealed class EarlyService(IQuickSilverNode node) : IHostedService
    {
        public QuickSilverNode? Seen { get; private set; }

        public bool HasSentAtStop { get; private set; }

        public async Task StartAsync(CancellationToken cancellationToken) =>
            Seen = await node.GetNodeAsync(cancellationToken);

        public async Task StopAsync(CancellationToken cancellationToken)
        {
            await node.GetGroup("group").SendAsync(new byte[1], cancellationToken);
            HasSentAtStop = true;
        }
    }

    internal sealed class Seen
    {
        public ConcurrentQueue<string> Texts { get; } = new();

        public ConcurrentBag<object> Handlers { get; } = [];
    }

    internal sealed class FragileHandler(Seen seen) : IMessageHandler
    {
        public ValueTask HandleAsync(Message message, CancellationToken cancellationToken)
        {
            seen.Handlers.Add(this);
            seen.Texts.Enqueue(message.GetString());
            return message.GetString() == "50" ? throw new InvalidOperationException("fifty") : default;
        }
    }

    internal sealed class SlowHandler(Seen seen) : IMessageHandler
    {
        public async ValueTask HandleAsync(Message message, CancellationToken cancellationToken)
        {
            await Task.Delay(1, cancellationToken);
            seen.Texts.Enqueue(message.GetString());
        }
    }

    internal sealed class DisposableHandler(Seen seen) : IMessageHandler, IAsyncDisposable
    {
        public ValueTask HandleAsync(Message message, CancellationToken cancellationToken)
        {
            seen.Texts.Enqueue(message.GetString());
            return default;
        }

        public ValueTask DisposeAsync()
        {
            seen.Texts.Enqueue("disposed");
            return default;
        }
    }

    internal sealed class BrokenHandler : IMessageHandler
    {
        public ValueTask HandleAsync(Message message, CancellationToken cancellationToken) =>
            throw new InvalidOperationException("broken");
    }

    internal sealed class Gate
    {
        public TaskCompletionSource Entered { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public TaskCompletionSource Open { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public ConcurrentQueue<string> Texts { get; } = new();
    }

    internal sealed class GatedHandler(Gate gate) : IMessageHandler
    {
        public async ValueTask HandleAsync(Message message, CancellationToken cancellationToken)
        {
            gate.Entered.TrySetResult();
            await gate.Open.Task.WaitAsync(cancellationToken);
            gate.Texts.Enqueue(message.GetString());
        }
    }

    internal sealed class InlineCounter : IInlineMessageHandler
    {
        public int Count;

        public void Handle(in MessageRef message) => Interlocked.Increment(ref Count);
    }
}
