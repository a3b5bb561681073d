using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using QuickSilver.Tests.Api;
using static QuickSilver.Hosting.Tests.Handlers;

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
}
