using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;
using QuickSilver.Tests.Api;
using QuickSilver.Typed;

namespace QuickSilver.Hosting.Tests;

/// <summary>A registered publisher sends without a place in the group, and goes on across evictions.</summary>
public sealed class HostedPublisherTests
{
    [Fact]
    public async Task A_service_sends_by_an_injected_publisher_and_is_no_member()
    {
        await using var rig = new HostRig();
        Group member = await (await rig.StartNodeAsync()).JoinAsync("group");
        IHost host = await rig.StartAsync(services => services.AddQuickSilver(rig.Here).AddPublisher("group"));
        IQuickSilverPublisher publisher = host.Services.GetRequiredKeyedService<IQuickSilverPublisher>("group");
        GroupView view = await publisher.WaitForMembersAsync(1);
        Assert.Equal([member.Node.Id], view.Members.Select(static one => one.Id));
        await publisher.SendAsync("1"u8.ToArray());
        Assert.Equal(SendStatus.Accepted, publisher.TrySend("2"u8));
        Assert.Equal(1, (await publisher.SendConfirmedAsync("3"u8.ToArray())).Confirmed);
        await publisher.FlushAsync();
        Assert.Equal(["1", "2", "3"], await ReadAsync(member, 3));
        Assert.Equal(1, publisher.View.MemberCount);
        Assert.Same(publisher, host.Services.GetRequiredService<IQuickSilverNode>().GetPublisher("group"));
        await host.StopAsync();
        Assert.Equal(SendStatus.Closed, publisher.TrySend("4"u8));
        await Assert.ThrowsAsync<ObjectDisposedException>(async () => await publisher.SendAsync(new byte[1]));
    }

    [Fact]
    public async Task A_publisher_of_values_sends_what_a_group_of_values_reads()
    {
        await using var rig = new HostRig();
        Group<Quote> member = await (await rig.StartNodeAsync()).JoinAsync("quotes", QuoteContext.Default.Quote);
        IHost host = await rig.StartAsync(services => services.AddQuickSilver(rig.Here)
            .AddPublisher("quotes", QuoteContext.Default.Quote)
            .AddPublisher("quotes", QuoteContext.Default.Quote));
        IQuickSilverPublisher<Quote> publisher =
            host.Services.GetRequiredKeyedService<IQuickSilverPublisher<Quote>>("quotes");
        await publisher.Raw.WaitForMembersAsync(1);
        await publisher.SendAsync(new Quote("ABC", 1), new MessageHeaders([new("by", "us")]));
        Assert.Equal(1, (await publisher.SendConfirmedAsync(new Quote("DEF", 2))).Confirmed);
        await publisher.FlushAsync();
        var read = new List<TypedMessage<Quote>>();
        await foreach (TypedMessage<Quote> message in member.ReadAllAsync())
        {
            read.Add(message);
            if (read.Count == 2) break;
        }
        Assert.Equal([new Quote("ABC", 1), new Quote("DEF", 2)], read.Select(static one => one.Value));
        Assert.True(read[0].Headers.TryGetValue("by", out string? by));
        Assert.Equal("us", by);
    }

    [Fact]
    public async Task An_evicted_node_opens_its_publishers_again_and_a_send_meanwhile_waits()
    {
        await using var rig = new HostRig();
        QuickSilverNode other = await rig.StartNodeAsync();
        Group member = await other.JoinAsync("group");
        IHost host = await rig.StartAsync(services => services.AddQuickSilver(rig.Here)
            .AddPublisher("group", static one => one.ReopenPause = TimeSpan.FromMilliseconds(10)).AddHealthCheck());
        IQuickSilverNode hosted = host.Services.GetRequiredService<IQuickSilverNode>();
        IQuickSilverPublisher publisher = hosted.GetPublisher("group");
        GroupPublisher before = await publisher.GetHandleAsync();
        Trouble.Expel(await hosted.GetNodeAsync());
        await Assert.ThrowsAsync<NodeEvictedException>(() => before.Completion.WaitAsync(NodeRig.Patience));
        await publisher.SendAsync("after"u8.ToArray()).AsTask().WaitAsync(NodeRig.Patience);
        Assert.Equal(["after"], await ReadAsync(member, 1));
        Assert.NotSame(before, await publisher.GetHandleAsync());
        await rig.UntilLoggedAsync(1630, 1631);
        await HostRig.UntilWellAsync(host.Services.GetRequiredService<HealthCheckService>());
    }

    [Fact]
    public async Task A_publisher_whose_policy_is_not_to_return_ends_and_is_unhealthy()
    {
        await using var rig = new HostRig();
        IHost host = await rig.StartAsync(services => services.AddQuickSilver(rig.Here)
            .AddPublisher("group", static one => one.ReopenAfterEviction = false).AddHealthCheck());
        IQuickSilverNode hosted = host.Services.GetRequiredService<IQuickSilverNode>();
        IQuickSilverPublisher publisher = hosted.GetPublisher("group");
        Trouble.Expel(await hosted.GetNodeAsync());
        await rig.UntilLoggedAsync(1633);
        await Assert.ThrowsAsync<NodeEvictedException>(async () => await publisher.SendAsync(new byte[1]));
        await Assert.ThrowsAsync<NodeEvictedException>(() => publisher.SendConfirmedAsync(new byte[1]));
        await Assert.ThrowsAsync<NodeEvictedException>(() => publisher.FlushAsync());
        await Assert.ThrowsAsync<NodeEvictedException>(() => publisher.WaitForMembersAsync(1));
        HealthReport report = await host.Services.GetRequiredService<HealthCheckService>().CheckHealthAsync();
        Assert.Contains(
            "publisher of 'group' has ended", report.Entries["quicksilver"].Description!, StringComparison.Ordinal);
    }

    [Fact]
    public async Task The_section_of_a_publisher_is_bound_before_code_and_mistakes_are_told()
    {
        await using var rig = new HostRig();
        IHost host = await rig.StartAsync(
            services => services.AddQuickSilver(rig.Here).AddPublisher(
                "prices", static one => one.ReopenAfterEviction = true),
            ("QuickSilver:Publishers:prices:ReopenAfterEviction", "false"),
            ("QuickSilver:Publishers:prices:ReopenPause", "00:00:03"),
            ("QuickSilver:Publishers:prices:Typed:Tracing", "true"),
            ("QuickSilver:Publishers:prices:Publisher:HandlerErrors", "StopNode"));
        var node = (HostedNode)host.Services.GetRequiredService<IQuickSilverNode>();
        HostedPublisherOptions options = Assert.Single(node.Handles.Publishers).Registration.Options;
        Assert.True(options.ReopenAfterEviction);
        Assert.Equal(TimeSpan.FromSeconds(3), options.ReopenPause);
        Assert.True(options.Typed.Tracing);
        Assert.Equal(HandlerErrorPolicy.StopNode, options.Publisher.HandlerErrors);

        IHost wrong = rig.Build(
            services => services.AddQuickSilver(rig.Here)
                .AddPublisher("prices").AddPublisher("prices", static one => one.ReopenPause = TimeSpan.Zero)
                .AddPublisher("modes", static one => one.Publisher.Mode = new TimedMode { PacketsPerSecond = 0 }),
            ("QuickSilver:Publishers:prices:ReopenPuase", "00:00:03"),
            ("QuickSilver:Publishers:prices:ReopenPause", "never"),
            ("QuickSilver:Publishers:modes:ReopenPause", "02:00:00"),
            ("QuickSilver:Publishers:pricse:ReopenPause", "00:00:01"));
        OptionsValidationException told = await Assert.ThrowsAsync<OptionsValidationException>(
            () => wrong.StartAsync());
        string[] paths =
        [
            "Publishers[prices]: is registered twice with different options: ReopenPause (00:00:01 and 00:00:00)",
            "Publishers[prices].ReopenPuase: there is no such option", "Publishers[prices].ReopenPause: 'never'",
            "Publishers[modes].Publisher.Mode.PacketsPerSecond", "Publishers[modes].ReopenPause: 02:00:00",
            "Publishers[pricse]: the publisher is not registered at this node: call AddPublisher(\"pricse\")",
        ];
        foreach (string path in paths)
            Assert.Single(told.Failures, finding => finding.StartsWith(path, StringComparison.Ordinal));
        Assert.Equal(paths.Length, told.Failures.Count());
    }

    private static async Task<List<string>> ReadAsync(Group group, int count)
    {
        var texts = new List<string>();
        using var limit = new CancellationTokenSource(NodeRig.Patience);
        await foreach (Message message in group.ReadAllAsync(limit.Token))
        {
            texts.Add(message.GetString());
            if (texts.Count == count) break;
        }
        return texts;
    }
}
