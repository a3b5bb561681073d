namespace QuickSilver.Tests.Api;

/// <summary>Memory stays within its limits, and all of it is returned, whatever goes wrong.</summary>
[Collection(NodeCollection.Name)]
public sealed class MemoryTests
{
    private const int Count = 3_000;

    [Theory]
    [InlineData(OverflowPolicy.FailGroup, false)]
    [InlineData(OverflowPolicy.DropOldest, false)]
    [InlineData(OverflowPolicy.DropNewest, false)]
    [InlineData(OverflowPolicy.DropOldest, true)]
    public async Task Every_buffer_comes_home_when_a_reader_stood_still(OverflowPolicy policy, bool keyed)
    {
        await using var rig = new NodeRig();
        var options = new GroupOptions { InboxMaxMessages = 200, InboxMaxBytes = 100_000, Overflow = policy };
        if (keyed) options.Key = static (in MessageRef message) => message.Payload[0];
        (Group left, Group right) = await rig.StartPairAsync(right: options);
        Task<List<string>> reading = NodeRig.ReadAsync(right, 1);
        await left.SendAsync("first");
        await reading;
        long most = 0;
        for (int index = 0; index < Count; index++)
        {
            await left.SendAsync($"{(char)('a' + (index % 50))}{new string('x', index % 700)}");
            most = Math.Max(most, right.Node.GetStatistics().InboxBytes);
        }
        await left.FlushAsync();
        Assert.InRange(most, 0, 100_000);
        // What a failed handle has stored can be read, after the node as well, until the handle is disposed of.
        await right.DisposeAsync();
        await EndsWithNothingOutAsync(left.Node, right.Node);
    }

    [Fact]
    public async Task Every_buffer_comes_home_after_leases_an_eviction_and_a_crash_of_a_receiver()
    {
        await using var rig = new NodeRig();
        await rig.StartAsync(Trouble.Quick);
        (Group left, Group right) = await rig.StartPairAsync(change: Trouble.Quick);
        Group third = await (await rig.StartAsync(Trouble.Quick)).JoinAsync("group");
        var leases = new List<MessageLease>();
        Task reading = Task.Run(async () =>
        {
            await foreach (MessageLease lease in right.ReadLeasedAsync())
            {
                leases.Add(lease);
                if (leases.Count == 100) break;
            }
        });
        for (int index = 0; index < Count; index++) await left.SendAsync(new byte[index % 3_000]);
        await reading.WaitAsync(NodeRig.Patience);
        await Trouble.CrashAsync(third.Node);
        for (int index = 0; index < Count; index++) await left.SendAsync(new byte[index % 3_000]);
        Trouble.Expel(right.Node);
        await Assert.ThrowsAsync<NodeEvictedException>(async () => await right.Completion.WaitAsync(NodeRig.Patience));
        foreach (MessageLease lease in leases) lease.Dispose();
        await right.DisposeAsync();
        await left.FlushAsync().WaitAsync(NodeRig.Patience);
        await EndsWithNothingOutAsync(left.Node, right.Node);
    }

    [Fact]
    public async Task What_is_pending_stays_within_its_limits_while_a_receiver_stands_still()
    {
        const int Limit = 1 << 20;
        await using var rig = new NodeRig();
        await rig.StartAsync(Trouble.Patient);
        (Group left, Group right) = await rig.StartPairAsync(change: static options =>
        {
            Trouble.Patient(options);
            options.Pending.MaxBytesPerRegion = Limit / 4;
            options.Pending.MaxBytesPerNode = Limit;
            options.Shutdown.DrainTimeout = TimeSpan.FromMilliseconds(300);
        });
        string[] names = [.. Enumerable.Range(0, 4).Select(static index => $"g{index}")];
        IReadOnlyList<Group> sending = await left.Node.JoinManyAsync(
            names, new GroupOptions { BufferBeforeFirstRead = false });
        await right.Node.JoinManyAsync(names, new GroupOptions { BufferBeforeFirstRead = false });
        foreach (Group group in sending) await group.WaitForMembersAsync(2).WaitAsync(NodeRig.Patience);
        long sent = 0;
        using (await Trouble.FreezeAsync(right.Node))
        {
            using var stop = new CancellationTokenSource(TimeSpan.FromSeconds(1));
            await Task.WhenAll(sending.Select(group => Task.Run(async () =>
            {
                try
                {
                    while (true)
                    {
                        await group.SendAsync(new byte[1_000], stop.Token);
                        Interlocked.Increment(ref sent);
                    }
                }
                catch (OperationCanceledException)
                {
                    return;
                }
            })));
            await NodeRig.UntilAsync(() => left.Node.GetStatistics().PendingBytes > 0, "what waits is told");
            // What was admitted before the core said stop is taken anyway: half of a stream's limit for each group, at
            // most.
            Assert.InRange(left.Node.GetStatistics().PendingBytes, 1, Limit + (names.Length * Limit / 8));
            Assert.Equal(SendStatus.Backpressured, sending[0].TrySend(new byte[1_000]));
        }
        await left.Node.FlushAsync().WaitAsync(NodeRig.Patience);
        await NodeRig.UntilAsync(
            () => right.Node.GetStatistics().MessagesReceived == sent, "all that was admitted arrives");
        await EndsWithNothingOutAsync(left.Node, right.Node);
    }

    private static async Task EndsWithNothingOutAsync(params QuickSilverNode[] nodes)
    {
        foreach (QuickSilverNode node in nodes)
        {
            await node.DisposeAsync().AsTask().WaitAsync(NodeRig.Patience);
            Assert.Equal(0, node.Core.Pool.OutstandingChunks);
            Assert.Equal(0, node.Core.Services.SendBuffers.CountRented());
            Assert.Equal(0, node.Core.Services.StageBlocks.Rented);
            Assert.Equal(0, node.Core.Services.Inboxes.Leases.Outstanding);
        }
    }
}
