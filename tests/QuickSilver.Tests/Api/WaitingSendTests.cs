namespace QuickSilver.Tests.Api;

/// <summary>Calls that wait for room to send end with their node, however it ends, while a member that stands still
/// keeps the limit of pending messages reached.</summary>
[Collection(NodeCollection.Name)]
public sealed class WaitingSendTests
{
    private const int Sends = 20;

    [Fact]
    public async Task They_fail_when_the_core_of_the_node_dies()
    {
        await using var rig = new NodeRig();
        await EndsAsync<QuickSilverException>(rig, Trouble.CrashAsync);
    }

    [Fact]
    public async Task They_fail_when_the_node_is_evicted()
    {
        await using var rig = new NodeRig();
        await EndsAsync<NodeEvictedException>(rig, static node =>
        {
            Trouble.Expel(node);
            return Task.CompletedTask;
        });
    }

    [Fact]
    public async Task They_fail_when_the_node_is_disposed_of()
    {
        await using var rig = new NodeRig();
        await EndsAsync<ObjectDisposedException>(rig, static async node => await node.DisposeAsync());
    }

    [Fact]
    public async Task They_fail_when_the_node_is_disposed_of_while_its_core_hangs()
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
        using Trouble.Frozen frozen = await Trouble.FreezeAsync(bob.Node);
        Task[] sends = [.. Enumerable.Range(0, Sends).Select(_ => alice.SendAsync(new byte[100].AsMemory()).AsTask())];
        Task<DeliveryReport> confirmed = alice.SendConfirmedAsync(new byte[100]);
        Task<bool> room = alice.WaitToSendAsync().AsTask();
        // Once the core has taken what it may, nothing changes any more.
        for (int turn = 0; turn < 3; turn++) await Trouble.SettleAsync(alice.Node);
        Assert.False(sends[^1].IsCompleted);

        await end(alice.Node);
        await Assert.ThrowsAnyAsync<TException>(() => sends[^1].WaitAsync(NodeRig.Patience));
        await Assert.ThrowsAnyAsync<TException>(() => confirmed.WaitAsync(NodeRig.Patience));
        Assert.False(await room.WaitAsync(NodeRig.Patience));
        foreach (Task send in sends) await Record.ExceptionAsync(() => send.WaitAsync(NodeRig.Patience));
        Assert.All(sends, static send => Assert.True(send.IsCompleted));
    }
}
