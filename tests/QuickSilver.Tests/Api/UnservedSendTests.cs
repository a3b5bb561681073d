using System.Collections.Concurrent;
using System.IO.Pipelines;
using QuickSilver.Tests.Diagnostics;

namespace QuickSilver.Tests.Api;

/// <summary>Sends that wait for a member that is gone, while no membership server can remove it.</summary>
[Collection(NodeCollection.Name)]
public sealed class UnservedSendTests
{
    private const int Sends = 12;
    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(1.5);

    [Fact]
    public async Task Every_call_that_waits_ends_with_the_member_and_the_reason_and_what_was_accepted_goes_on()
    {
        var log = new RecordingLoggerFactory();
        await using var rig = new NodeRig();
        (QuickSilverNode host, Group sender, Group reader, Group gone) = await StartAsync(rig, log);
        var told = new ConcurrentQueue<NodeEvent>();
        sender.Node.Events += (_, happened) => told.Enqueue(happened);
        GroupPublisher publisher = await sender.Node.OpenPublisherAsync("group");
        await host.DisposeAsync();
        await Trouble.CrashAsync(gone.Node);
        await NodeRig.UntilAsync(() => sender.Node.State == NodeState.MembershipLost, "the loss is noticed");

        var accepted = new List<string>();
        Task<DeliveryReport> confirmed = sender.SendConfirmedAsync("confirmed"u8.ToArray());
        accepted.Add("confirmed");
        for (int number = 0; sender.TrySend($"{number}") == SendStatus.Accepted; number++)
        {
            accepted.Add($"{number}");
            await Trouble.SettleAsync(sender.Node);
        }
        Task[] sends = [.. Enumerable.Range(0, Sends).Select(number => sender.SendAsync($"late {number}").AsTask())];
        Task<DeliveryReport> late = sender.SendConfirmedAsync("late"u8.ToArray());
        PipeWriter writer = sender.OpenWriter();
        Task writing = writer.WriteAsync(new byte[100]).AsTask();
        Task[] waiting =
        [
            .. sends, late, writing,
            sender.WaitToSendAsync().AsTask(), publisher.SendAsync("late").AsTask(),
        ];
        Task[] unconfirmed = [confirmed, sender.FlushAsync(), sender.Node.FlushAsync()];
        Assert.DoesNotContain(waiting, static call => call.IsCompleted);

        foreach (Task call in waiting) AssertTold(await EndAsync(call), ErrorCode.SendHeldUp);
        foreach (Task call in unconfirmed) AssertTold(await EndAsync(call), ErrorCode.ConfirmationHeldUp);
        Assert.Equal(SendStatus.Backpressured, sender.TrySend("one more"));
        await NodeRig.UntilAsync(() => told.OfType<SendsHeldUp>().Any(), "the event tells");
        SendsHeldUp held = Assert.Single(told.OfType<SendsHeldUp>());
        Assert.Contains(held.Members, static member => member.Name == "gone");
        // Another call waits as long as the first did, and is told no second time.
        AssertTold(await EndAsync(sender.SendAsync("again").AsTask()), ErrorCode.SendHeldUp);
        await NodeRig.UntilAsync(() => log.Ids.Contains(1_334), "it is logged");
        Assert.Single(log.Ids, 1_334);
        Assert.Empty(told.OfType<SendsResumed>());

        await rig.StartAsync(options => Host(options, rig.Port));
        await sender.SendConfirmedAsync("with a server"u8.ToArray()).WaitAsync(NodeRig.Patience);
        await NodeRig.UntilAsync(() => told.OfType<SendsResumed>().Any(), "the end is told");
        Assert.Equal(waiting.Length + unconfirmed.Length + 1, told.OfType<SendsResumed>().Single().EndedCalls);
        // Records and events are told apart from each other.
        await NodeRig.UntilAsync(() => log.Ids.Contains(1_335), "the end is logged");
        Assert.Single(log.Ids, 1_335);
        await writer.CompleteAsync();
        string[] all = [.. accepted, "with a server"];
        Assert.Equal(all, await NodeRig.ReadAsync(reader, all.Length));

        void AssertTold(SendHeldUpException end, ErrorCode code)
        {
            Assert.Equal((code, NodeState.MembershipLost), (end.Code, end.State));
            Assert.Contains(end.Members, static member => member.Name == "gone");
            Assert.Contains("gone", end.Message, StringComparison.Ordinal);
            Assert.Contains("no membership server", end.Message, StringComparison.Ordinal);
        }
    }

    [Fact]
    public async Task A_long_message_that_is_held_up_goes_on_where_it_stood()
    {
        var log = new RecordingLoggerFactory();
        await using var rig = new NodeRig();
        (QuickSilverNode host, Group sender, Group reader, Group gone) = await StartAsync(rig, log);
        byte[] text = new byte[400_000];
        Random.Shared.NextBytes(text);
        await host.DisposeAsync();
        await Trouble.CrashAsync(gone.Node);
        await NodeRig.UntilAsync(() => sender.Node.State == NodeState.MembershipLost, "the loss is noticed");
        PipeWriter writer = sender.OpenWriter();
        SendHeldUpException end = await EndAsync(writer.WriteAsync(text).AsTask());
        Assert.Equal(ErrorCode.SendHeldUp, end.Code);

        Task<byte[]> reading = ReadLongAsync(reader);
        await rig.StartAsync(options => Host(options, rig.Port));
        await writer.FlushAsync().AsTask().WaitAsync(NodeRig.Patience);
        await writer.CompleteAsync().AsTask().WaitAsync(NodeRig.Patience);
        Assert.Equal(text, await reading.WaitAsync(NodeRig.Patience));
    }

    [Fact]
    public async Task A_sender_that_shall_wait_for_ever_does_and_is_told_all_the_same()
    {
        var log = new RecordingLoggerFactory();
        await using var rig = new NodeRig();
        (QuickSilverNode host, Group sender, _, Group gone) = await StartAsync(
            rig, log, static options => options.Pending.NoServerTimeout = Timeout.InfiniteTimeSpan);
        await host.DisposeAsync();
        await Trouble.CrashAsync(gone.Node);
        await NodeRig.UntilAsync(() => sender.Node.State == NodeState.MembershipLost, "the loss is noticed");
        Task[] sends = [.. Enumerable.Range(0, Sends).Select(number => sender.SendAsync($"{number}").AsTask())];
        await NodeRig.UntilAsync(() => log.Ids.Contains(1_334), "it is logged");
        Assert.Contains(sends, static send => !send.IsCompleted);

        await rig.StartAsync(options => Host(options, rig.Port));
        foreach (Task send in sends) await send.WaitAsync(NodeRig.Patience);
        await NodeRig.UntilAsync(() => log.Ids.Contains(1_335), "the end is logged");
    }

    [Fact]
    public async Task A_server_that_removes_nobody_is_named_as_the_reason()
    {
        var log = new RecordingLoggerFactory();
        await using var rig = new NodeRig();
        (QuickSilverNode host, Group sender, Group reader, Group gone) = await StartAsync(rig, log);
        await Trouble.CrashAsync(host);
        foreach (QuickSilverNode node in (QuickSilverNode[])[reader.Node, gone.Node]) await Trouble.CrashAsync(node);
        QuickSilverNode again = await rig.StartAsync(options => Host(options, rig.Port));
        await NodeRig.UntilAsync(() => sender.Node.State == NodeState.WaitingForMajority, "the server waits");
        Task[] sends = [.. Enumerable.Range(0, Sends).Select(number => sender.SendAsync($"{number}").AsTask())];
        SendHeldUpException end = await EndAsync(sends[^1]);
        Assert.Equal((ErrorCode.SendHeldUp, NodeState.WaitingForMajority), (end.Code, end.State));
        Assert.Contains("removes nobody", end.Message, StringComparison.Ordinal);
        await again.ForgetMemberAsync("gone");
        await sender.SendConfirmedAsync("alone"u8.ToArray()).WaitAsync(NodeRig.Patience);
    }

    private static async Task<SendHeldUpException> EndAsync(Task call) =>
        await Assert.ThrowsAsync<SendHeldUpException>(() => call.WaitAsync(NodeRig.Patience));

    private static async Task<byte[]> ReadLongAsync(Group group)
    {
        await foreach (LongMessage message in group.ReadLongMessagesAsync())
        {
            using var read = new MemoryStream();
            await message.Body.CopyToAsync(read);
            return read.ToArray();
        }
        return [];
    }

    private static async Task<(QuickSilverNode Host, Group Sender, Group Reader, Group Gone)> StartAsync(
        NodeRig rig, RecordingLoggerFactory log, Action<QuickSilverOptions>? change = null)
    {
        QuickSilverNode host = await rig.StartAsync(options => Host(options, rig.Port));
        QuickSilverNode node = await rig.StartAsync(options =>
        {
            ClientOf(options, rig.Port, "sender");
            options.UseLoggerFactory(log);
            options.Pending.MaxMessagesPerRegion = 4;
            options.Pending.NoServerTimeout = Limit;
            change?.Invoke(options);
        });
        Group sender = await node.JoinAsync("group", new GroupOptions { SelfDelivery = false });
        var others = new List<Group>();
        foreach (string name in (string[])["reader", "gone"])
        {
            QuickSilverNode other = await rig.StartAsync(options => ClientOf(options, rig.Port, name));
            others.Add(await other.JoinAsync(
                "group", new GroupOptions { Mode = new ReliableMode { KeepLongMessages = true } }));
        }
        await sender.WaitForMembersAsync(3).WaitAsync(NodeRig.Patience);
        return (host, sender, others[0], others[1]);
    }

    private static void Host(QuickSilverOptions options, int port)
    {
        Trouble.Quick(options);
        options.OnNetwork(MembershipMode.Host);
        options.Membership.Port = port;
        options.Transport.Interface = "127.0.0.1";
    }

    private static void ClientOf(QuickSilverOptions options, int port, string name)
    {
        Trouble.Quick(options);
        options.NodeName = name;
        options.OnNetwork(MembershipMode.Client);
        options.Membership.Servers.Add($"127.0.0.1:{port}");
        options.Transport.Interface = "127.0.0.1";
    }
}
