using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using QuickSilver.Hosting.Tests.Handlers;
using QuickSilver.Tests.Api;

namespace QuickSilver.Hosting.Tests;

/// <summary>A hosted node that stops handles what it has stored, and sends what it has admitted.</summary>
public sealed class HostedStopTests
{
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
    public async Task A_stop_right_after_the_start_loses_nothing_that_was_sent_meanwhile()
    {
        await using var rig = new HostRig();
        IHost host = rig.Build(services => services.AddSingleton<Seen>()
            .AddHostedService<BurstService>()
            .AddQuickSilver(rig.Here).AddGroup("group").AddHandler<SlowHandler>("group"));
        Group other = await (await rig.StartNodeAsync()).JoinAsync("group");
        int heard = 0;
        using IDisposable handler = other.Subscribe((in _) => Interlocked.Increment(ref heard));
        await host.StartAsync().WaitAsync(NodeRig.Patience);
        // A handle has one reader: the handlers' reading has begun.
        Group handle = await host.Services.GetRequiredKeyedService<IQuickSilverGroup>("group").GetHandleAsync();
        await Assert.ThrowsAsync<InvalidOperationException>(
            async () => await handle.ReadAllAsync().GetAsyncEnumerator().MoveNextAsync());
        await host.StopAsync().WaitAsync(NodeRig.Patience);
        Assert.Equal(BurstService.Count, host.Services.GetRequiredService<Seen>().Texts.Count);
        await NodeRig.UntilAsync(() => Volatile.Read(ref heard) == BurstService.Count, "the other member hears all");
    }

    [Fact]
    public async Task A_stop_handles_what_a_new_handle_has_stored_while_the_handler_is_busy_with_the_old_one()
    {
        await using var rig = new HostRig();
        IHost host = await rig.StartAsync(services =>
        {
            services.AddSingleton<Gate>();
            services.AddQuickSilver(rig.Here)
                .AddGroup("group", static group => group.Group.InboxMaxMessages = 10)
                .AddHandler<GatedHandler>("group");
        });
        Gate gate = host.Services.GetRequiredService<Gate>();
        IQuickSilverGroup group = host.Services.GetRequiredKeyedService<IQuickSilverGroup>("group");
        Group sender = await (await rig.StartNodeAsync()).JoinAsync("group");
        for (int number = 0; number < 100; number++) await sender.SendAsync($"{number}");
        await NodeRig.UntilAsync(() => group.Rejoins == 1, "it is back");
        await sender.WaitForMembersAsync(2).WaitAsync(NodeRig.Patience);
        await sender.SendConfirmedAsync("of the new handle"u8.ToArray()).WaitAsync(NodeRig.Patience);
        Task stop = host.StopAsync();
        await NodeRig.UntilAsync(() => sender.View.MemberCount == 1, "the host has left");
        gate.Open.SetResult();
        await stop.WaitAsync(NodeRig.Patience);
        Assert.Contains("of the new handle", gate.Texts);
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
        await rig.UntilLoggedAsync(1605);
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
        await rig.UntilLoggedAsync(1603);
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

    // Sends before handlers are called.
    internal sealed class BurstService(IQuickSilverNode node) : IHostedService
    {
        public const int Count = 100;

        public async Task StartAsync(CancellationToken cancellationToken)
        {
            for (int number = 0; number < Count; number++)
                await node.GetGroup("group").SendAsync(new byte[8], cancellationToken);
        }

        public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;
    }
}
