using System.Buffers;
using System.Collections.Concurrent;
using System.Text;
using QuickSilver.Testing;

namespace QuickSilver.Tests.Api;

/// <summary>Handles that only send: <see cref="GroupPublisher"/>.</summary>
[Collection(NodeCollection.Name)]
public sealed class PublisherTests
{
    [Fact]
    public async Task A_publisher_reaches_all_members_and_is_none()
    {
        await using var rig = new NodeRig();
        Group[] members = await rig.StartThreeAsync();
        QuickSilverNode node = await rig.StartAsync(Trouble.Quick);
        GroupPublisher publisher = await node.OpenPublisherAsync("group");
        Assert.Equal((3, members[0].View.Number), (publisher.View.MemberCount, publisher.View.Number));
        Assert.Equal(3, (await publisher.WaitForMembersAsync(3).WaitAsync(NodeRig.Patience)).MemberCount);
        await publisher.SendAsync("one");
        Assert.Equal(SendStatus.Accepted, publisher.TrySend("two"u8));
        DeliveryReport report = await publisher.SendConfirmedAsync("three").WaitAsync(NodeRig.Patience);
        Assert.Equal((3UL, 3, 0), (report.Sequence, report.Confirmed, report.Removed));
        await publisher.FlushAsync().WaitAsync(NodeRig.Patience);
        foreach (Group member in members)
        {
            Assert.Equal(["one", "two", "three"], await NodeRig.ReadAsync(member, 3));
            Assert.Equal(3, member.View.MemberCount);
            Assert.Null(member.View.Find(node.Id));
        }
        NodeStatistics statistics = await node.GetStatisticsAsync();
        Assert.Equal((0, 1, 3L), (statistics.Groups, statistics.Publishers, statistics.MessagesSent));
        Assert.Equal(0, statistics.MessagesReceived);
        GroupStatistics figures = Assert.Single(await node.GetTopGroupsAsync(2));
        Assert.Equal(("group", true, 3L), (figures.Name, figures.IsPublisher, figures.MessagesSent));

        await publisher.CloseAsync().WaitAsync(NodeRig.Patience);
        Assert.True(publisher.Completion.IsCompletedSuccessfully);
        ObjectDisposedException closed = await Assert.ThrowsAsync<ObjectDisposedException>(
            async () => await publisher.SendAsync("four"));
        Assert.Contains("The publisher of 'group' has been closed", closed.Message, StringComparison.Ordinal);
        Assert.Equal(SendStatus.Closed, publisher.TrySend("four"u8));
        Assert.Equal(0, (await node.GetStatisticsAsync()).Publishers);
    }

    [Fact]
    public async Task Messages_to_nobody_complete_at_once_and_who_joins_gets_what_follows()
    {
        await using var rig = new NodeRig();
        QuickSilverNode node = await rig.StartAsync();
        await using GroupPublisher publisher = await node.OpenPublisherAsync("unread");
        Assert.Equal((0, 0UL), (publisher.View.MemberCount, publisher.View.Number));
        Assert.Empty(publisher.View.Members);
        DeliveryReport report = await publisher.SendConfirmedAsync("to nobody").WaitAsync(NodeRig.Patience);
        Assert.Equal((1UL, 0), (report.Sequence, report.Confirmed));
        await publisher.FlushAsync().WaitAsync(NodeRig.Patience);

        Task<GroupView> waited = publisher.WaitForMembersAsync(1);
        Assert.False(waited.IsCompleted);
        Group member = await (await rig.StartAsync()).JoinAsync("unread");
        Assert.Equal(1, (await waited.WaitAsync(NodeRig.Patience)).MemberCount);
        Assert.Equal(1, (await publisher.SendConfirmedAsync("to one").WaitAsync(NodeRig.Patience)).Confirmed);
        Assert.Equal(["to one"], await NodeRig.ReadAsync(member, 1));
        Assert.Equal(member.View.Number, publisher.View.Number);
    }

    [Fact]
    public async Task Publishers_of_one_name_share_and_a_member_receives_what_its_own_publisher_sends()
    {
        await using var rig = new NodeRig();
        QuickSilverNode node = await rig.StartAsync();
        Group other = await (await rig.StartAsync()).JoinAsync("group");
        GroupPublisher first = await node.OpenPublisherAsync("group");
        GroupPublisher second = await node.OpenPublisherAsync("group");
        await first.SendConfirmedAsync("1");
        await first.CloseAsync().WaitAsync(NodeRig.Patience);
        await second.SendConfirmedAsync("2");
        Group own = await node.JoinAsync("group");
        Assert.Equal(2, own.View.MemberCount);
        Task<List<string>> reading = NodeRig.ReadToEndAsync(own);
        await second.SendConfirmedAsync("3");
        await own.SendConfirmedAsync("4");
        await own.LeaveAsync().WaitAsync(NodeRig.Patience);
        Assert.Equal(["3", "4"], await reading.WaitAsync(NodeRig.Patience));
        Assert.Equal(5UL, (await second.SendConfirmedAsync("5").WaitAsync(NodeRig.Patience)).Sequence);
        await node.LeaveManyAsync([second, await node.JoinAsync("another")]).WaitAsync(NodeRig.Patience);
        Assert.True(second.Completion.IsCompletedSuccessfully);
        Assert.Equal(["1", "2", "3", "4", "5"], await NodeRig.ReadAsync(other, 5));
    }

    [Fact]
    public async Task A_publisher_feeds_and_closes_when_all_is_taken()
    {
        await using var rig = new NodeRig();
        QuickSilverNode node = await rig.StartAsync();
        Group member = await (await rig.StartAsync()).JoinAsync("group");
        GroupPublisher publisher = await node.OpenPublisherAsync("group");
        var feed = new Countdown { Ready = 1_000 };
        using (FeedRegistration registration = publisher.RegisterFeed(feed))
        {
            registration.Signal();
            Assert.Equal(
                Enumerable.Range(0, 1_000).Select(static index => $"{index}"), await NodeRig.ReadAsync(member, 1_000));
        }
        for (int index = 0; index < 5_000; index++) await publisher.SendAsync($"{index}");
        await publisher.DisposeAsync().AsTask().WaitAsync(NodeRig.Patience);
        Assert.Equal(
            Enumerable.Range(0, 5_000).Select(static index => $"{index}"), await NodeRig.ReadAsync(member, 5_000));
    }

    [Fact]
    public async Task A_joiner_waits_for_a_publisher_that_stands_still()
    {
        await using var rig = new NodeRig();
        Group[] members = await rig.StartThreeAsync(Trouble.Patient);
        Action<QuickSilverOptions> patient = Trouble.Quick;
        patient += Trouble.Patient;
        QuickSilverNode node = await rig.StartAsync(patient);
        GroupPublisher publisher = await node.OpenPublisherAsync("group");
        QuickSilverNode joiner = await rig.StartAsync(patient);
        Trouble.Frozen frozen = await Trouble.FreezeAsync(node);
        Task<Group> joining = joiner.JoinAsync("group");
        await NodeRig.UntilAsync(() => members[0].View.MemberCount == 4, "the members know the joiner");
        Assert.False(joining.IsCompleted);
        frozen.Dispose();
        Group joined = await joining.WaitAsync(NodeRig.Patience);
        Assert.Equal(4, (await publisher.SendConfirmedAsync("x").WaitAsync(NodeRig.Patience)).Confirmed);
        Assert.Equal(["x"], await NodeRig.ReadAsync(joined, 1));
    }

    [Fact]
    public async Task When_a_publisher_crashes_its_members_have_the_same_messages_of_it()
    {
        await using var rig = new NodeRig();
        Group[] members = await rig.StartThreeAsync(static options => options.UseFaults(0.2, 3));
        ConcurrentQueue<ulong>[] heard = [.. members.Select(static _ => new ConcurrentQueue<ulong>())];
        for (int index = 0; index < members.Length; index++)
        {
            ConcurrentQueue<ulong> numbers = heard[index];
            members[index].Subscribe((in MessageRef message) =>
            {
                // Between senders there is no order.
                if (message.GetString() != "after it") numbers.Enqueue(message.Sequence);
            });
        }
        QuickSilverNode node = await rig.StartAsync(Trouble.Quick);
        GroupPublisher publisher = await node.OpenPublisherAsync("group");
        Task sending = Task.Run(async () =>
        {
            for (int index = 0; ; index++) await publisher.SendAsync($"{index}");
        });
        await NodeRig.UntilAsync(() => heard[0].Count > 500, "messages arrive");
        await Trouble.CrashAsync(node);
        await Assert.ThrowsAnyAsync<Exception>(() => sending);

        // A join returns when the publisher has been removed, and cannot before.
        Group joined = await (await rig.StartAsync(Trouble.Quick)).JoinAsync("group").WaitAsync(NodeRig.Patience);
        Assert.Equal(4, (await joined.SendConfirmedAsync("after it").WaitAsync(NodeRig.Patience)).Confirmed);
        await NodeRig.UntilAsync(
            () => heard.Select(static numbers => numbers.Count).Distinct().Count() == 1, "all have as many");
        Assert.All(heard, numbers => Assert.Equal(heard[0], numbers));
    }

    [Fact]
    public async Task A_publisher_is_taken_over_by_the_next_server()
    {
        await using var rig = new NodeRig();
        QuickSilverNode first = await rig.StartAsync(Trouble.Quick);
        Group member = await (await rig.StartAsync(Trouble.Quick)).JoinAsync("group");
        GroupPublisher publisher = await (await rig.StartAsync(Trouble.Quick)).OpenPublisherAsync("group");
        await publisher.SendConfirmedAsync("1").WaitAsync(NodeRig.Patience);
        ulong epoch = publisher.View.Epoch;
        await Trouble.CrashAsync(first);
        await publisher.SendConfirmedAsync("2").WaitAsync(NodeRig.Patience);
        await NodeRig.UntilAsync(() => publisher.View.Epoch > epoch, "another server takes the publisher over");
        Assert.Equal(3UL, (await publisher.SendConfirmedAsync("3").WaitAsync(NodeRig.Patience)).Sequence);
        Group late = await (await rig.StartAsync(Trouble.Quick)).JoinAsync("group").WaitAsync(NodeRig.Patience);
        Assert.Equal(2, (await publisher.SendConfirmedAsync("4").WaitAsync(NodeRig.Patience)).Confirmed);
        Assert.Equal(["1", "2", "3", "4"], await NodeRig.ReadAsync(member, 4));
        Assert.Equal(["4"], await NodeRig.ReadAsync(late, 1));
        Assert.False(publisher.Completion.IsCompleted);
    }

    [Fact]
    public async Task A_mode_that_does_not_fit_and_a_bad_name_are_refused()
    {
        await using var rig = new NodeRig();
        QuickSilverNode node = await rig.StartAsync();
        await Assert.ThrowsAsync<ArgumentException>(() => node.OpenPublisherAsync("$reserved"));
        await Assert.ThrowsAsync<ArgumentException>(
            () => node.OpenPublisherAsync(
                "group", new PublisherOptions { Mode = new TimedMode { MaxMessageBytes = 0 } }));
        await Assert.ThrowsAsync<ArgumentException>(() => node.OpenPublishersAsync(["a", "a"]));
        IReadOnlyList<GroupPublisher> several = await node.OpenPublishersAsync(["a", "b"]);
        Assert.Equal(["a", "b"], several.Select(static publisher => publisher.Name));
        await node.LeaveManyAsync(several).WaitAsync(NodeRig.Patience);
        Assert.All(several, static publisher => Assert.True(publisher.Completion.IsCompleted));
    }

    private sealed class Countdown : IMessageFeed
    {
        private int _next;

        public int Ready { get; set; }

        public bool TryWriteNext(IBufferWriter<byte> message)
        {
            if (_next == Ready) return false;
            message.Write(Encoding.UTF8.GetBytes($"{_next++}"));
            return true;
        }
    }
}
