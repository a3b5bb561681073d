namespace QuickSilver.Tests.Api;

/// <summary>Groups of mode Timed, as applications use them.</summary>
[Collection(NodeCollection.Name)]
public sealed class TimedGroupTests
{
    [Fact]
    public async Task Messages_of_a_timed_group_arrive_with_and_without_options()
    {
        await using var rig = new NodeRig();
        (Group left, Group right) = await rig.StartPairAsync("world", Timed(), Timed());
        using var limit = new CancellationTokenSource(NodeRig.Patience);
        await left.SendAsync("one", limit.Token);
        await left.SendAsync("two"u8.ToArray(), new SendOptions { Importance = MessageImportance.High }, limit.Token);
        await left.SendAsync("three"u8.ToArray(), new SendOptions { Key = 7 }, limit.Token);
        await left.SendAsync(new byte[40_000], limit.Token);
        await left.FlushAsync(limit.Token);

        var lengths = new List<int>();
        await foreach (Message message in right.ReadAllAsync(limit.Token))
        {
            lengths.Add(message.Payload.Length);
            if (lengths.Count == 4) break;
        }
        Assert.Equal([3, 3, 5, 40_000], lengths);
    }

    [Fact]
    public async Task What_is_lost_is_asked_for()
    {
        await using var rig = new NodeRig();
        (Group left, Group right) = await rig.StartPairAsync(
            "world", Timed(), Timed(), options => Testing.FaultExtensions.UseFaults(options, dropReceived: 0.1));
        using var limit = new CancellationTokenSource(NodeRig.Patience);
        for (int index = 0; index < 300; index++)
        {
            await left.SendAsync(BitConverter.GetBytes(index), limit.Token);
            if (index % 10 == 9) await Task.Delay(1, limit.Token);
        }
        int next = 0;
        await foreach (Message message in right.ReadAllAsync(limit.Token))
        {
            Assert.Equal(next, BitConverter.ToInt32(message.Payload.Span));
            if (++next == 300) break;
        }
    }

    [Fact]
    public async Task What_a_timed_group_does_not_promise_is_refused_by_name()
    {
        await using var rig = new NodeRig();
        (Group left, _) = await rig.StartPairAsync("world", Timed(), Timed());

        var refused = await Assert.ThrowsAsync<QuickSilverException>(
            async () => await left.SendConfirmedAsync(new byte[3]));
        Assert.Equal(ErrorCode.RefusedByMode, refused.Code);
        var tooLong = await Assert.ThrowsAsync<PayloadTooLargeException>(
            async () => await left.SendAsync(new byte[70_000]));
        Assert.Equal(65_536, tooLong.Limit);
        Assert.Equal(SendStatus.TooLarge, left.TrySend(new byte[70_000]));
        Group news = await left.Node.JoinAsync("news");
        refused = await Assert.ThrowsAsync<QuickSilverException>(
            async () => await news.SendAsync(new byte[3], new SendOptions { Key = 1 }));
        Assert.Equal(ErrorCode.RefusedByMode, refused.Code);
    }

    [Fact]
    public async Task Settings_are_checked_when_a_node_joins()
    {
        await using var rig = new NodeRig();
        QuickSilverNode node = await rig.StartAsync();
        var options = new GroupOptions { Mode = new TimedMode { PacketsPerSecond = 0 } };
        var refused = await Assert.ThrowsAsync<ArgumentException>(async () => await node.JoinAsync("world", options));
        Assert.Contains("Mode.PacketsPerSecond: 0 is not between 1 and 1000000", refused.Message);
    }

    // As long as tests wait, nothing is too old.
    private static GroupOptions Timed() => new()
    {
        Mode = new TimedMode { TimeToLive = NodeRig.Patience },
    };
}
