using QuickSilver.Tests.Api;

namespace QuickSilver.Tests.Inboxes;

/// <summary>A handle has an inbox from its first message or reader on, and behaves as if it had one always.</summary>
[Collection(NodeCollection.Name)]
public sealed class LazyInboxTests
{
    [Fact]
    public async Task A_group_that_nobody_sends_to_or_reads_has_no_inbox()
    {
        await using var rig = new NodeRig();
        (Group left, Group right) = await rig.StartPairAsync(
            left: new GroupOptions { BufferBeforeFirstRead = false, SelfDelivery = false },
            right: new GroupOptions { OnMessage = static (in MessageRef _) => { } });
        Assert.Null(left.Handle.Inbox);
        Assert.Null(right.Handle.Inbox);
        await left.SendConfirmedAsync("handled");
        await right.SendConfirmedAsync("not kept");
        Assert.Null(left.Handle.Inbox);
        Assert.Null(right.Handle.Inbox);
    }

    [Fact]
    public async Task A_message_before_the_first_reader_makes_the_inbox_and_the_view_comes_before_it()
    {
        await using var rig = new NodeRig();
        (Group left, Group right) = await rig.StartPairAsync();
        Assert.Null(right.Handle.Inbox);
        await left.SendConfirmedAsync("first");
        Assert.NotNull(right.Handle.Inbox);
        List<GroupEvent> events = await EventsAsync(right, 2);
        Assert.Equal(right.View, Assert.IsType<ViewChanged>(events[0]).After);
        Assert.Equal("first", Assert.IsType<MessageReceived>(events[1]).Message.GetString());
    }

    [Fact]
    public async Task A_reader_that_is_first_gets_the_present_view_and_the_next()
    {
        await using var rig = new NodeRig();
        (_, Group right) = await rig.StartPairAsync();
        QuickSilverNode third = await rig.StartAsync();
        using var limit = new CancellationTokenSource(NodeRig.Patience);
        await using IAsyncEnumerator<GroupEvent> events = right.ReadEventsAsync().GetAsyncEnumerator(limit.Token);
        Assert.True(await events.MoveNextAsync());
        Assert.Equal(2, Assert.IsType<ViewChanged>(events.Current).After.MemberCount);
        await third.JoinAsync("group");
        Assert.True(await events.MoveNextAsync());
        Assert.Equal(3, Assert.IsType<ViewChanged>(events.Current).After.MemberCount);
    }

    [Fact]
    public async Task A_reader_of_an_ended_handle_without_an_inbox_gets_the_end()
    {
        await using var rig = new NodeRig();
        (Group left, Group right) = await rig.StartPairAsync(change: Trouble.Quick);
        IAsyncEnumerable<Message> later = left.ReadAllAsync();
        await left.LeaveAsync();
        await foreach (Message _ in later) Assert.Fail("nothing was sent");
        Assert.Throws<ObjectDisposedException>(() => left.ReadAllAsync());

        Assert.Null(right.Handle.Inbox);
        Trouble.Expel(right.Node);
        await Assert.ThrowsAsync<NodeEvictedException>(() => right.Completion.WaitAsync(NodeRig.Patience));
        await Assert.ThrowsAsync<NodeEvictedException>(() => NodeRig.ReadToEndAsync(right));
    }

    private static async Task<List<GroupEvent>> EventsAsync(Group group, int count)
    {
        using var limit = new CancellationTokenSource(NodeRig.Patience);
        var events = new List<GroupEvent>();
        await foreach (GroupEvent happened in group.ReadEventsAsync(limit.Token))
        {
            events.Add(happened);
            if (events.Count == count) break;
        }
        return events;
    }
}
