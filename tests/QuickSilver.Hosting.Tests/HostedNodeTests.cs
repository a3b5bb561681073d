using System.Globalization;
using System.Reflection;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;
using QuickSilver.Hosting.Tests.Handlers;
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
        await rig.UntilLoggedAsync(1601);
    }

    [Fact]
    public async Task A_start_that_is_cancelled_is_no_failure()
    {
        await using var rig = new HostRig();
        IHost host = rig.Build(static services => services.AddQuickSilver(static options =>
        {
            options.Membership.Mode = MembershipMode.Client;
            options.Security.UseNone();
            options.Membership.Servers.Add("127.0.0.1:1");
            options.Membership.JoinTimeout = TimeSpan.FromHours(1);
        }).AddGroup("group"));
        IQuickSilverNode node = host.Services.GetRequiredService<IQuickSilverNode>();
        using var stop = new CancellationTokenSource();
        Task starting = host.StartAsync(stop.Token);
        await stop.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => starting.WaitAsync(NodeRig.Patience));
        await rig.UntilLoggedAsync(1621);
        Assert.DoesNotContain(1601, rig.Loggers.Ids);
        Assert.All(
            rig.Loggers.Records.Where(static record => record.Id == 1621),
            static record => Assert.Equal(LogLevel.Information, record.Level));
        // Nobody has cancelled what these wait for.
        await Assert.ThrowsAsync<ObjectDisposedException>(() => node.GetNodeAsync());
        await Assert.ThrowsAsync<ObjectDisposedException>(() => node.GetGroup("group").GetHandleAsync().AsTask());
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
    public async Task A_check_before_the_start_is_unhealthy_and_tagged_ready()
    {
        await using var rig = new HostRig();
        IHost host = rig.Build(services => services.AddQuickSilver(rig.Here).AddHealthCheck());
        HealthReport report = await host.Services.GetRequiredService<HealthCheckService>().CheckHealthAsync();
        HealthReportEntry entry = report.Entries["quicksilver"];
        Assert.Equal(HealthStatus.Unhealthy, entry.Status);
        Assert.Equal(["ready"], entry.Tags);
    }

    private static object OtherThan(PropertyInfo option, object? value)
    {
        Type type = Nullable.GetUnderlyingType(option.PropertyType) ?? option.PropertyType;
        if (type == typeof(bool)) return value is not true;
        if (type.IsEnum) return Enum.GetValues(type).Cast<object>().First(one => !one.Equals(value));
        if (type == typeof(MessageHandler)) return new MessageHandler(static (in MessageRef _) => { });
        if (type == typeof(MessageBatchHandler)) return new MessageBatchHandler(static (in MessageBatch _) => { });
        if (type == typeof(ModeOptions)) return new LateralMode();
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
}
