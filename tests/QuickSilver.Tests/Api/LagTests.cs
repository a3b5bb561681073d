using QuickSilver.Tests.Diagnostics;

namespace QuickSilver.Tests.Api;

/// <summary>Of twelve nodes one is slow: who sends to it names it, with why and since when, in the API, in the
/// statistics and in the log.</summary>
[Collection(NodeCollection.Name)]
public sealed class LagTests
{
    [Fact]
    public async Task A_node_that_stands_still_most_of_the_time_is_named_by_who_sends_to_it()
    {
        using var factory = new RecordingLoggerFactory();
        await using var rig = new NodeRig();
        var groups = new Group[12];
        for (int index = 0; index < groups.Length; index++)
        {
            int number = index;
            QuickSilverNode node = await rig.StartAsync(options =>
            {
                Trouble.Patient(options);
                options.NodeName = $"n{number}";
                options.Shutdown.DrainTimeout = TimeSpan.FromSeconds(1);
                if (number == 0) options.UseLoggerFactory(factory);
            });
            groups[index] = await node.JoinAsync("news", new GroupOptions { BufferBeforeFirstRead = false });
        }
        await groups[0].WaitForMembersAsync(12).WaitAsync(NodeRig.Patience);
        using var stop = new CancellationTokenSource();
        QuickSilverNode slow = groups[7].Node;
        QuickSilverNode sender = groups[0].Node;
        Task sending = SendAsync(groups[0], stop.Token);
        await Task.Delay(500);
        Assert.DoesNotContain(await sender.GetSlowestMembersAsync(12), static lag => lag.HoldsUp);

        Task stopping = StandStillAsync(slow, stop.Token);
        await UntilNamedAsync(sender, slow);
        MemberLag lag = (await sender.GetSlowestMembersAsync(1)).Single();
        Assert.Equal((slow.Id, "n7"), (lag.Member.Id, lag.Member.Name));
        Assert.NotEqual(LagReason.Losing, lag.Reason);
        Assert.Equal(["news"], lag.Groups);
        Assert.Equal([groups[0].View.Regions[0].Id], lag.Regions);
        Assert.InRange(lag.Duration, TimeSpan.FromSeconds(0.9), NodeRig.Patience);
        NodeStatistics figures = await sender.GetStatisticsAsync();
        Assert.Equal(1, figures.MembersHoldingUp);
        Assert.True(figures.LongestHoldUp >= TimeSpan.FromSeconds(0.9));

        // The record names it, and so does, first of all, the text of a call that was given up.
        await NodeRig.UntilAsync(() => factory.Ids.Contains(1_310), "it is logged");
        string record = factory.Records.First(static record => record.Id.Id == 1_310).Text;
        Assert.Contains($"held up by 'n7' ({slow.Id}) in 'news', which ", record, StringComparison.Ordinal);
        using (await Trouble.FreezeAsync(slow))
        {
            using var limit = new CancellationTokenSource(TimeSpan.FromMilliseconds(300));
            OperationCanceledException cancelled = await Assert.ThrowsAnyAsync<OperationCanceledException>(
                () => groups[0].SendConfirmedAsync("x", limit.Token).WaitAsync(NodeRig.Patience));
            Assert.Contains($"It waited for 'n7' ({slow.Id}), which ", cancelled.Message, StringComparison.Ordinal);
        }

        await stop.CancelAsync();
        await stopping;
        await sending;
        await NodeRig.UntilAsync(() => factory.Ids.Contains(1_311), "that it has caught up is logged");
        await NodeRig.UntilAsync(async () => (await sender.GetSlowestMembersAsync(12)).Count == 0, "nobody is behind");
        Assert.Equal(0, (await sender.GetStatisticsAsync()).MembersHoldingUp);
        await Assert.ThrowsAsync<ArgumentOutOfRangeException>(() => sender.GetSlowestMembersAsync(-1));
    }

    private static async Task UntilNamedAsync(QuickSilverNode node, QuickSilverNode slow)
    {
        long start = Environment.TickCount64;
        while (await node.GetSlowestMembersAsync(12) is not [{ HoldsUp: true } lag, ..] || lag.Member.Id != slow.Id)
        {
            bool isLate = Environment.TickCount64 - start > NodeRig.Patience.TotalMilliseconds;
            Assert.False(
                isLate,
                $"{node.Name} does not name {slow.Name} first, but: "
                    + $"{string.Join("; ", await node.GetSlowestMembersAsync(12))}");
            await Task.Delay(20);
        }
    }

    private static async Task SendAsync(Group group, CancellationToken ct)
    {
        while (!ct.IsCancellationRequested)
        {
            group.TrySend(new byte[200]);
            await Task.Delay(2, CancellationToken.None);
        }
    }

    private static async Task StandStillAsync(QuickSilverNode node, CancellationToken ct)
    {
        while (!ct.IsCancellationRequested)
        {
            using (await Trouble.FreezeAsync(node)) await Task.Delay(900, CancellationToken.None);
            await Task.Delay(100, CancellationToken.None);
        }
    }
}
