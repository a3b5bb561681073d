using System.Collections.Concurrent;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;
using QuickSilver.Tests.Api;
using QuickSilver.Typed;

namespace QuickSilver.Hosting.Tests;

/// <summary>Groups and publishers that a service opens while it runs live as the registered ones do, until it ends
/// them.</summary>
public sealed class RunTimeTests
{
    [Fact]
    public async Task A_group_joined_at_run_time_goes_on_across_an_eviction_and_is_left_for_good()
    {
        await using var rig = new HostRig();
        QuickSilverNode other = await rig.StartNodeAsync();
        Group member = await other.JoinAsync("room 1", new GroupOptions { SelfDelivery = false });
        (IHost host, IQuickSilverNode hosted) = await StartAsync(rig);
        IHostedGroup room = await hosted.JoinAsync("room 1", Quick);
        await room.WaitForMembersAsync(2);
        Trouble.Expel(await hosted.GetNodeAsync());
        await NodeRig.UntilAsync(() => room.Rejoins == 1, "it is back");
        await member.WaitForMembersAsync(2).WaitAsync(NodeRig.Patience);
        await member.SendAsync("after");
        await foreach (Message message in room.ReadAllAsync())
        {
            Assert.Equal("after", message.GetString());
            break;
        }
        await room.SendConfirmedAsync("farewell"u8.ToArray());
        await room.LeaveAsync().WaitAsync(NodeRig.Patience);
        await NodeRig.UntilAsync(() => member.View.MemberCount == 1, "it has left");
        Assert.Equal(SendStatus.Closed, room.TrySend("late"u8));
        await Assert.ThrowsAsync<ObjectDisposedException>(async () => await room.SendAsync(new byte[1]));
        await Assert.ThrowsAsync<ObjectDisposedException>(() => room.LeaveAsync());
        await room.DisposeAsync();
        Trouble.Expel(await hosted.GetNodeAsync());
        await NodeRig.UntilAsync(
            async () => (await hosted.GetNodeAsync()).State == NodeState.Running, "the node has returned");
        Assert.Equal(1, room.Rejoins);
        await HostRig.UntilWellAsync(host.Services.GetRequiredService<HealthCheckService>());
    }

    [Fact]
    public async Task A_group_that_is_disposed_of_while_the_node_is_away_is_not_joined_again()
    {
        await using var rig = new HostRig();
        QuickSilverNode other = await rig.StartNodeAsync();
        Group member = await other.JoinAsync("room");
        (_, IQuickSilverNode hosted) = await StartAsync(rig);
        IHostedGroup room = await hosted.JoinAsync("room", Quick);
        Group handle = await room.GetHandleAsync();
        // A join ends when every member has switched: with this one held up, the node stays away.
        using (await Trouble.FreezeAsync(other))
        {
            Trouble.Expel(await hosted.GetNodeAsync());
            await Assert.ThrowsAsync<NodeEvictedException>(() => handle.Completion.WaitAsync(NodeRig.Patience));
            await room.DisposeAsync();
        }
        await Assert.ThrowsAsync<ObjectDisposedException>(async () => await room.SendAsync(new byte[1]));
        await NodeRig.UntilAsync(() => member.View.MemberCount == 1, "only the other is a member");
        Assert.Equal(0, room.Rejoins);
    }

    [Fact]
    public async Task Values_and_publishers_are_opened_at_run_time_too()
    {
        await using var rig = new HostRig();
        (_, IQuickSilverNode hosted) = await StartAsync(rig);
        await using IHostedGroup<Quote> quotes = await hosted.JoinAsync("quotes", QuoteContext.Default.Quote);
        await using IHostedPublisher<Quote> feed =
            await hosted.OpenPublisherAsync("quotes", QuoteContext.Default.Quote);
        await feed.SendAsync(new Quote("ABC", 1));
        await foreach (TypedMessage<Quote> message in quotes.ReadAllAsync())
        {
            Assert.Equal(new Quote("ABC", 1), message.Value);
            break;
        }
        IHostedPublisher bytes = await hosted.OpenPublisherAsync(
            "quotes", static one => one.ReopenPause = TimeSpan.FromMilliseconds(10));
        GroupPublisher before = await bytes.GetHandleAsync();
        Trouble.Expel(await hosted.GetNodeAsync());
        await Assert.ThrowsAsync<NodeEvictedException>(() => before.Completion.WaitAsync(NodeRig.Patience));
        await bytes.SendConfirmedAsync("?"u8.ToArray()).WaitAsync(NodeRig.Patience);
        await bytes.CloseAsync().WaitAsync(NodeRig.Patience);
        await Assert.ThrowsAsync<ObjectDisposedException>(async () => await bytes.SendAsync(new byte[1]));
        await NodeRig.UntilAsync(() => quotes.Raw.Rejoins == 1, "the group is back");
        await quotes.SendConfirmedAsync(new Quote("DEF", 2));
        await quotes.FlushAsync();
        await feed.SendAsync(new Quote("GHI", 3)).AsTask().WaitAsync(NodeRig.Patience);
        await feed.CloseAsync().WaitAsync(NodeRig.Patience);
        await quotes.LeaveAsync().WaitAsync(NodeRig.Patience);
    }

    [Fact]
    public async Task What_is_open_at_the_end_of_the_host_is_left_with_it()
    {
        await using var rig = new HostRig();
        Group member = await (await rig.StartNodeAsync()).JoinAsync("room");
        (IHost host, IQuickSilverNode hosted) = await StartAsync(rig);
        IHostedGroup room = await hosted.JoinAsync("room");
        await room.SendAsync("last"u8.ToArray());
        Task<List<string>> reading = ReadAllAsync(room);
        await host.StopAsync().WaitAsync(NodeRig.Patience);
        Assert.Equal(["last"], await reading.WaitAsync(NodeRig.Patience));
        await NodeRig.UntilAsync(() => member.View.MemberCount == 1, "it has left");
        await room.DisposeAsync();
        await Assert.ThrowsAsync<ObjectDisposedException>(() => hosted.JoinAsync("late"));
        await Assert.ThrowsAsync<ObjectDisposedException>(() => hosted.OpenPublisherAsync("late"));

        static async Task<List<string>> ReadAllAsync(IQuickSilverGroup group)
        {
            var texts = new List<string>();
            await foreach (Message message in group.ReadAllAsync()) texts.Add(message.GetString());
            return texts;
        }
    }

    [Fact]
    public async Task Mistakes_are_told_before_the_join()
    {
        await using var rig = new HostRig();
        (_, IQuickSilverNode hosted) = await StartAsync(rig);
        ArgumentException told = await Assert.ThrowsAsync<ArgumentException>(() => hosted.JoinAsync(
            "room", static one => (one.RejoinPause, one.Inbox) = (TimeSpan.Zero, "desk")));
        Assert.Contains("RejoinPause: 00:00:00", told.Message, StringComparison.Ordinal);
        Assert.Contains("Inbox: 'desk' is not registered at this node: call AddInbox", told.Message,
            StringComparison.Ordinal);
        await Assert.ThrowsAsync<ArgumentException>(() => hosted.JoinAsync(""));
        await Assert.ThrowsAsync<ArgumentException>(() => hosted.OpenPublisherAsync(
            "room", static one => one.Publisher.Mode = new TimedMode { PacketsPerSecond = 0 }));
    }

    [Fact]
    public async Task Groups_share_an_inbox_that_goes_on_across_an_eviction()
    {
        await using var rig = new HostRig();
        QuickSilverNode other = await rig.StartNodeAsync();
        IHost host = await rig.StartAsync(
            services => services.AddQuickSilver(rig.Here)
                .AddInbox("desk")
                .AddGroup("a", one => Shared(one))
                .AddGroup("b", one => Shared(one)),
            ("QuickSilver:Inboxes:desk:MaxMessages", "500"));
        IQuickSilverNode hosted = host.Services.GetRequiredService<IQuickSilverNode>();
        IHostedGroup late = await hosted.JoinAsync("c", Shared);
        string[] names = ["a", "b", "c"];
        IReadOnlyList<GroupPublisher> feeds = await other.OpenPublishersAsync(names);
        var seen = new ConcurrentQueue<(string Group, string Text)>();
        Task reading = ReadAsync();
        foreach (GroupPublisher feed in feeds) await feed.SendConfirmedAsync("before");
        await NodeRig.UntilAsync(() => seen.Count == 3, "all are read");
        Assert.Equal(names, seen.Select(static one => one.Group).Order());
        Trouble.Expel(await hosted.GetNodeAsync());
        await NodeRig.UntilAsync(
            () => late.Rejoins == 1 && names[..2].All(name => hosted.GetGroup(name).Rejoins == 1), "all are back");
        foreach (GroupPublisher feed in feeds) await feed.SendConfirmedAsync("after");
        await NodeRig.UntilAsync(() => seen.Count == 6, "all are read again");
        Assert.Equal(names, seen.Where(static one => one.Text == "after").Select(static one => one.Group).Order());
        await late.LeaveAsync();
        Assert.Throws<InvalidOperationException>(
            () => hosted.GetGroup("a").GetHandleAsync().Result.ReadAllAsync(CancellationToken.None));
        await host.StopAsync();
        await reading.WaitAsync(NodeRig.Patience);

        static void Shared(HostedGroupOptions one)
        {
            Quick(one);
            one.Inbox = "desk";
        }

        async Task ReadAsync()
        {
            IQuickSilverInbox inbox = host.Services.GetRequiredKeyedService<IQuickSilverInbox>("desk");
            await foreach (Message message in inbox.ReadAllAsync())
                seen.Enqueue((message.GroupName, message.GetString()));
        }
    }

    [Fact]
    public async Task Mistakes_in_inboxes_are_told_at_the_start()
    {
        await using var rig = new HostRig();
        IHost host = rig.Build(
            services => services.AddQuickSilver(rig.Here)
                .AddInbox("desk", static one => one.MaxMessages = 0).AddInbox("desk")
                .AddGroup("a", static one => one.Inbox = "desk").AddHandler<Handlers.BrokenHandler>("a")
                .AddGroup("b", static one => one.Inbox = "dsek"),
            ("QuickSilver:Inboxes:desk:MaxMessage", "1"), ("QuickSilver:Inboxes:desc:MaxMessages", "1"));
        OptionsValidationException told = await Assert.ThrowsAsync<OptionsValidationException>(
            () => host.StartAsync());
        string[] paths =
        [
            "Inboxes[desk]: is registered twice", "Inboxes[desk].MaxMessages: 0 ",
            "Inboxes[desk].MaxMessage: there is no such option", "Inboxes[desc]: the inbox is not registered",
            "Groups[a].Handlers[BrokenHandler]: cannot read the group: its messages go to the inbox 'desk'",
            "Groups[b].Inbox: 'dsek' is not registered",
        ];
        foreach (string path in paths)
            Assert.Single(told.Failures, finding => finding.StartsWith(path, StringComparison.Ordinal));
        Assert.Equal(paths.Length, told.Failures.Count());
    }

    private static async Task<(IHost Host, IQuickSilverNode Node)> StartAsync(HostRig rig)
    {
        IHost host = await rig.StartAsync(services => services.AddQuickSilver(rig.Here).AddHealthCheck());
        return (host, host.Services.GetRequiredService<IQuickSilverNode>());
    }

    private static void Quick(HostedGroupOptions options) => options.RejoinPause = TimeSpan.FromMilliseconds(10);
}
