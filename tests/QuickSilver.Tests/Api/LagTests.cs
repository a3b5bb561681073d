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
        // A machine under load may hold up anybody for a while.
        await NodeRig.UntilAsync(
            async () => !(await sender.GetSlowestMembersAsync(12)).Any(static lag => lag.HoldsUp), "nobody holds up");

        Task stopping = StandStillAsync(slow, stop.Token);
        MemberLag lag = await UntilNamedAsync(sender, slow);
        Assert.Equal((slow.Id, "n7"), (lag.Member.Id, lag.Member.Name));
        Assert.NotEqual(LagReason.Losing, lag.Reason);
        Assert.Equal(["news"], lag.Groups);
        Assert.Equal([groups[0].View.Regions[0].Id], lag.Regions);
        Assert.InRange(lag.Duration, TimeSpan.Zero, NodeRig.Patience);
        // It goes on between two times of standing still: the figures may have been taken when it had just caught up.
        await NodeRig.UntilAsync(
            async () => await sender.GetStatisticsAsync() is
            {
                MembersHoldingUp: >= 1,
                LongestHoldUp.TotalSeconds: >= 0.9,
            },
            "the figures tell");

        // The record names it, and so does, first of all, the text of a call that was given up.
        string said = $"held up by 'n7' ({slow.Id}) in 'news', which ";
        await NodeRig.UntilAsync(
            () => factory.Records.Any(record =>
                record.Id.Id == 1_310 && record.Text.Contains(said, StringComparison.Ordinal)),
            "it is logged");
        using (await Trouble.FreezeAsync(slow))
        {
            using var limit = new CancellationTokenSource(TimeSpan.FromSeconds(1));
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

    private static async Task<MemberLag> UntilNamedAsync(QuickSilverNode node, QuickSilverNode slow)
    {
        long start = Environment.TickCount64;
        while (true)
        {
            if (await node.GetSlowestMembersAsync(12) is [{ HoldsUp: true, Duration.TotalSeconds: >= 0.9 } lag, ..]
                && lag.Member.Id == slow.Id) return lag;
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
