using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;

namespace QuickSilver.Hosting.Tests;

/// <summary>Every mistake in options and registrations is told at the start of the host, all at once, by its
/// path.</summary>
public sealed class ConfigurationErrorTests
{
    [Fact]
    public async Task A_section_binds_to_every_kind_of_option()
    {
        await using var rig = new HostRig();
        IHost host = rig.Build(
            static services => services.AddQuickSilver(static options => options.NodeName = "by code"),
            ("QuickSilver:ClusterName", "pricing"),
            ("QuickSilver:NodeName", "by section"),
            ("QuickSilver:Membership:Mode", "client"),
            ("QuickSilver:Membership:Servers:0", "10.0.0.5:14999"),
            ("QuickSilver:Membership:Servers:1", "10.0.0.6:14999"),
            ("QuickSilver:Membership:JoinTimeout", "00:00:10"),
            ("QuickSilver:Membership:AwaitMajority", "false"),
            ("QuickSilver:Membership:Discovery:Multicast", "true"),
            ("QuickSilver:Membership:Discovery:MulticastGroup", "239.1.2.3"),
            ("QuickSilver:Membership:Discovery:Port", "15998"),
            ("QuickSilver:Security:Mode", "none"),
            ("QuickSilver:Transport:Interface", null),
            ("QuickSilver:Loop:Affinity", "1"),
            ("QuickSilver:Delivery:Overflow", "DropOldest"),
            ("QuickSilver:Pending:MaxBytesPerRegion", "4194304"));
        QuickSilverOptions options = host.Services.GetRequiredService<IOptions<QuickSilverOptions>>().Value;
        Assert.Equal("pricing", options.ClusterName);
        Assert.Equal("by code", options.NodeName);
        Assert.Equal(MembershipMode.Client, options.Membership.Mode);
        Assert.Equal(["10.0.0.5:14999", "10.0.0.6:14999"], options.Membership.Servers);
        Assert.Equal(TimeSpan.FromSeconds(10), options.Membership.JoinTimeout);
        Assert.False(options.Membership.AwaitMajority);
        Assert.True(options.Membership.Discovery.Multicast);
        Assert.Equal("239.1.2.3", options.Membership.Discovery.MulticastGroup);
        Assert.Equal(15_998, options.Membership.Discovery.Port);
        Assert.Equal(SecurityMode.None, options.Security.Mode);
        Assert.Null(options.Transport.Interface);
        Assert.Equal(1, options.Loop.Affinity);
        Assert.Equal(OverflowPolicy.DropOldest, options.Delivery.Overflow);
        Assert.Equal(4L << 20, options.Pending.MaxBytesPerRegion);
    }

    [Fact]
    public async Task All_mistakes_are_told_at_once_by_their_paths()
    {
        await using var rig = new HostRig();
        IHost host = rig.Build(
            static services => services.AddQuickSilver()
                .AddGroup("prices")
                .AddGroup("prices", static group => group.Group.Overflow = OverflowPolicy.DropOldest)
                .AddGroup("slow", static group => group.RejoinPause = TimeSpan.Zero)
                .AddHandler<IUnregistered>("prices")
                .AddHandler<NoHandler>("prices")
                .AddHandler<InlineHandler>("prices", scopePerMessage: true)
                .AddHandler<InlineHandler>("pricse"),
            ("QuickSilver:ClusterNane", "pricing"),
            ("QuickSilver:Membership:Mdoe", "Host"),
            ("QuickSilver:Membership:Port", "many"),
            ("QuickSilver:Transport:Kind", "Telepathy"),
            ("QuickSilver:Transport:PortRange", "none"),
            ("QuickSilver:Delivery:InboxMaxMessages", "0"));
        OptionsValidationException told = await Assert.ThrowsAsync<OptionsValidationException>(
            () => host.StartAsync());
        string[] paths = [
            "ClusterNane: ", "Membership.Mdoe: ", "Membership.Port: 'many'", "Transport.Kind: 'Telepathy'",
            "Transport.PortRange: ", "Delivery.InboxMaxMessages: ",
            "Groups[prices]: is registered twice with different options: Overflow (null and DropOldest)",
            "Groups[slow].RejoinPause: ",
            "Groups[prices].Handlers[IUnregistered]: is not registered",
            "Groups[prices].Handlers[NoHandler]: implements neither IMessageHandler nor IInlineMessageHandler",
            "Groups[prices].Handlers[InlineHandler]: is inline",
            "Groups[pricse].Handlers[InlineHandler]: the group is not registered",
        ];
        foreach (string path in paths)
            Assert.Single(told.Failures, finding => finding.StartsWith(path, StringComparison.Ordinal));
        Assert.Equal(paths.Length, told.Failures.Count());
        Assert.Null(host.Services.GetRequiredService<IQuickSilverNode>().Current);
    }

    [Fact]
    public async Task Sections_of_groups_are_bound_before_code_and_their_mistakes_are_told()
    {
        await using var rig = new HostRig();
        IHost host = await rig.StartAsync(
            services => services.AddQuickSilver(rig.Here)
                .AddGroup("prices", static group => group.RejoinAfterEviction = true)
                .AddGroup("ticks", QuoteContext.Default.Quote),
            ("QuickSilver:Groups:prices:RejoinAfterEviction", "false"),
            ("QuickSilver:Groups:prices:RejoinPause", "00:00:03"),
            ("QuickSilver:Groups:prices:Group:Overflow", "DropOldest"),
            ("QuickSilver:Groups:prices:Group:InboxMaxMessages", "77"),
            ("QuickSilver:Groups:ticks:Typed:Tracing", "true"));
        var node = (HostedNode)host.Services.GetRequiredService<IQuickSilverNode>();
        HostedGroupOptions prices = node.Handles.Group("prices").Registration.Options;
        Assert.True(prices.RejoinAfterEviction);
        Assert.Equal(TimeSpan.FromSeconds(3), prices.RejoinPause);
        Assert.Equal(OverflowPolicy.DropOldest, prices.Group.Overflow);
        Assert.Equal(77, prices.Group.InboxMaxMessages);
        Assert.True(node.Handles.Group("ticks").Registration.Options.Typed.Tracing);

        IHost wrong = rig.Build(
            services => services.AddQuickSilver(rig.Here).AddGroup("prices"),
            ("QuickSilver:Groups:prices:RejoinPuase", "00:00:03"),
            ("QuickSilver:Groups:prices:Group:InboxMaxMessages", "many"),
            ("QuickSilver:Groups:prices:Group:InboxMaxBytes", "0"),
            ("QuickSilver:Groups:prices:RejoinPause", "00:00:00"),
            ("QuickSilver:Groups:pricse:RejoinPause", "00:00:01"));
        OptionsValidationException told = await Assert.ThrowsAsync<OptionsValidationException>(
            () => wrong.StartAsync());
        string[] paths =
        [
            "Groups[prices].RejoinPuase: there is no such option", "Groups[prices].Group.InboxMaxMessages: 'many'",
            "Groups[prices].Group.InboxMaxBytes: 0 is not at least 1",
            "Groups[prices].RejoinPause: ", "Groups[pricse]: the group is not registered",
        ];
        foreach (string path in paths)
            Assert.Single(told.Failures, finding => finding.StartsWith(path, StringComparison.Ordinal));
        Assert.Equal(paths.Length, told.Failures.Count());
    }

    [Fact]
    public async Task A_given_section_must_exist()
    {
        await using var rig = new HostRig();
        IHost host = rig.Build(static services => services.AddQuickSilver(
            new ConfigurationBuilder().Build().GetSection("Quicksliver")));
        OptionsValidationException told = await Assert.ThrowsAsync<OptionsValidationException>(
            () => host.StartAsync());
        Assert.Equal(["Quicksliver: the section is not in the configuration"], told.Failures);
    }

    [Fact]
    public async Task A_handler_that_the_container_cannot_make_is_named()
    {
        await using var rig = new HostRig();
        IHost host = rig.Build(services => services.AddQuickSilver(rig.Here)
            .AddGroup("group").AddHandler<NeedyHandler>("group", scopePerMessage: true));
        InvalidOperationException told = await Assert.ThrowsAsync<InvalidOperationException>(() => host.StartAsync());
        Assert.Contains("The handler NeedyHandler of group 'group' cannot be made", told.Message,
            StringComparison.Ordinal);
        Assert.Contains(nameof(IUnregistered), told.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task The_same_group_may_be_registered_twice_with_the_same_options()
    {
        await using var rig = new HostRig();
        IHost host = await rig.StartAsync(services => services.AddQuickSilver(rig.Here).AddGroup("group")
            .AddGroup("group"));
        IQuickSilverGroup group = host.Services.GetRequiredKeyedService<IQuickSilverGroup>("group");
        Assert.Equal("group", (await group.GetHandleAsync()).Name);
        ArgumentException unknown = Assert.Throws<ArgumentException>(
            () => host.Services.GetRequiredService<IQuickSilverNode>().GetGroup("another"));
        Assert.Contains("AddGroup(\"another\")", unknown.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task The_options_of_a_groups_mode_are_compared_by_what_they_say()
    {
        await using var rig = new HostRig();
        await rig.StartAsync(services => services.AddQuickSilver(rig.Here)
            .AddGroup("lateral", Lateral(4)).AddGroup("lateral", Lateral(4))
            .AddGroup("timed", Timed(4)).AddGroup("timed", Timed(4)));
        IHost other = rig.Build(services => services.AddQuickSilver(rig.Here)
            .AddGroup("lateral", Lateral(4)).AddGroup("lateral", Lateral(5)));
        var told = await Assert.ThrowsAsync<OptionsValidationException>(() => other.StartAsync());
        Assert.Contains("PacketsPerRepair = 5", Assert.Single(told.Failures), StringComparison.Ordinal);

        static Action<HostedGroupOptions> Lateral(int packets) =>
            options => options.Group.Mode = new LateralMode { PacketsPerRepair = packets };

        static Action<HostedGroupOptions> Timed(int seconds) =>
            options => options.Group.Mode = new TimedMode { TimeToLive = TimeSpan.FromSeconds(seconds) };
    }

    [Fact]
    public async Task Keyed_nodes_have_sections_of_their_own_within_the_other()
    {
        await using var rig = new HostRig();
        IHost host = rig.Build(
            static services =>
            {
                services.AddQuickSilver();
                services.AddKeyedQuickSilver("audit").AddGroup("trail");
            },
            ("QuickSilver:ClusterName", "pricing"),
            ("QuickSilver:audit:ClusterName", "audits"));
        var options = host.Services.GetRequiredService<IOptionsMonitor<QuickSilverOptions>>();
        Assert.Equal("pricing", options.CurrentValue.ClusterName);
        Assert.Equal("audits", options.Get("audit").ClusterName);
        IQuickSilverNode audit = host.Services.GetRequiredKeyedService<IQuickSilverNode>("audit");
        Assert.Equal("audit", audit.Key);
        Assert.Equal("trail", audit.GetGroup("trail").Name);
    }

    internal interface IUnregistered : IMessageHandler;

    internal sealed class NoHandler;

    internal sealed class NeedyHandler(IUnregistered need) : IMessageHandler
    {
        public IUnregistered Need => need;

        public ValueTask HandleAsync(Message message, CancellationToken cancellationToken) => default;
    }

    internal sealed class InlineHandler : IInlineMessageHandler
    {
        public void Handle(in MessageRef message)
        {
        }
    }
}
