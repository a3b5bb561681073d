namespace QuickSilver.Tests.Api;

/// <summary>Calls that wait end with their node, however it ends, while a member that stands still keeps the limit of
/// pending messages reached.</summary>
[Collection(NodeCollection.Name)]
public sealed class WaitingCallTests
{
    private const int Sends = 20;

    [Fact]
    public async Task They_end_when_the_core_of_the_node_dies()
    {
        await using var rig = new NodeRig();
        await EndsAsync<QuickSilverException>(rig, Trouble.CrashAsync);
    }

    [Fact]
    public async Task They_end_when_the_node_is_evicted()
    {
        await using var rig = new NodeRig();
        await EndsAsync<NodeEvictedException>(rig, static node =>
        {
            Trouble.Expel(node);
            return Task.CompletedTask;
        });
    }

    [Fact]
    public async Task They_end_when_the_node_is_disposed_of()
    {
        await using var rig = new NodeRig();
        await EndsAsync<ObjectDisposedException>(rig, static async node => await node.DisposeAsync());
    }

    [Fact]
    public async Task They_end_when_the_node_is_disposed_of_while_its_core_hangs()
    {
        await using var rig = new NodeRig();
        Trouble.Frozen? frozen = null;
        await EndsAsync<ObjectDisposedException>(rig, async node =>
        {
            frozen = await Trouble.FreezeAsync(node);
            await node.DisposeAsync();
        });
        frozen!.Dispose();
    }

    private static async Task EndsAsync<TException>(NodeRig rig, Func<QuickSilverNode, Task> end)
        where TException : Exception
    {
        (Group alice, Group bob) = await rig.StartPairAsync(change: static options =>
        {
            Trouble.Quick(options);
            Trouble.Patient(options);
            options.Pending.MaxMessagesPerRegion = 4;
        });
        QuickSilverNode node = alice.Node;
        Group left = await node.JoinAsync("left");
        await bob.Node.JoinAsync("left");
        await left.WaitForMembersAsync(2).WaitAsync(NodeRig.Patience);
        GroupPublisher publisher = await node.OpenPublisherAsync("left");
        Inbox inbox = node.CreateInbox(new InboxOptions());
        await node.JoinAsync("shared", new GroupOptions { Inbox = inbox });

        using Trouble.Frozen frozen = await Trouble.FreezeAsync(bob.Node);
        var calls = new List<(string Name, Task Task)>();
        void Wait(string name, Task task) => calls.Add((name, task));
        await left.SendAsync("before the leave");
        Wait("leave", left.LeaveAsync());
        Wait("close", publisher.CloseAsync());
        Wait("long", WriteAsync(alice));
        for (int index = 0; index < Sends; index++) Wait("send", alice.SendAsync(new byte[100].AsMemory()).AsTask());
        Task lastSend = calls[^1].Task;
        Task<DeliveryReport> confirmed = alice.SendConfirmedAsync(new byte[100]);
        Task<bool> room = alice.WaitToSendAsync().AsTask();
        Wait("confirmed", confirmed);
        Wait("room", room);
        Wait("flush", alice.FlushAsync());
        Wait("flush of all", node.FlushAsync());
        Wait("members", alice.WaitForMembersAsync(9));
        Wait("read", ReadAsync(alice.ReadAllAsync()));
        Wait("read of long ones", ReadAsync(alice.ReadLongMessagesAsync()));
        Wait("read of all groups", ReadAsync(inbox.ReadAllAsync()));
        Wait("join", node.JoinAsync("another"));
        Wait("end of the handle", alice.Completion);
        // Once the core has taken what it may, nothing changes any more.
        for (int turn = 0; turn < 3; turn++) await Trouble.SettleAsync(node);
        Assert.False(lastSend.IsCompleted);

        await end(node);
        await Assert.ThrowsAnyAsync<TException>(() => lastSend.WaitAsync(NodeRig.Patience));
        await Assert.ThrowsAnyAsync<TException>(() => confirmed.WaitAsync(NodeRig.Patience));
        Assert.False(await room.WaitAsync(NodeRig.Patience));
        foreach ((string name, Task call) in calls)
        {
            await Task.WhenAny(call, Task.Delay(NodeRig.Patience));
            Assert.True(call.IsCompleted, $"still waits: {name}");
        }
    }

    private static async Task WriteAsync(Group group)
    {
        System.IO.Pipelines.PipeWriter writer = group.OpenWriter();
        while (!(await writer.WriteAsync(new byte[1 << 16])).IsCompleted)
        {
        }
    }

    private static async Task ReadAsync<T>(IAsyncEnumerable<T> sequence)
    {
        await foreach (T _ in sequence)
        {
        }
    }
}
