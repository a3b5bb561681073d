using System.Diagnostics.Metrics;

namespace QuickSilver.Tests.Api;

/// <summary>Figures that people act upon say what they seem to say.</summary>
[Collection(NodeCollection.Name)]
public sealed class FigureTests
{
    [Fact]
    public async Task What_counts_as_consumed_is_what_readers_and_handlers_took()
    {
        await using var rig = new NodeRig();
        (Group left, Group right) = await rig.StartPairAsync(left: new GroupOptions { SelfDelivery = false });
        for (int index = 0; index < 100; index++) await left.SendAsync("x");
        await left.FlushAsync();
        NodeStatistics unread = await UntilDeliveredAsync(right.Node, 100);
        Assert.Equal((100, 0), (unread.MessagesReceived, unread.MessagesRead));
        Assert.Equal(
            (100, 0),
            (Consumed(right.Node, "quicksilver.messages.delivered"),
                Consumed(right.Node, "messaging.client.consumed.messages")));

        await NodeRig.ReadAsync(right, 30);
        Assert.Equal(30, (await right.Node.GetStatisticsAsync()).MessagesRead);
        await foreach (MessageLease lease in right.ReadLeasedAsync())
        {
            lease.Dispose();
            break;
        }
        Assert.Equal(31, (await right.Node.GetStatisticsAsync()).MessagesRead);

        // A handler takes what comes from now on; the reader keeps what it has. What is thrown away at the end was read
        // by nobody.
        using IDisposable handler = right.Subscribe(static (in _) => { });
        await Trouble.SettleAsync(right.Node);
        await left.SendConfirmedAsync("y");
        NodeStatistics handled = await UntilDeliveredAsync(right.Node, 101);
        Assert.Equal(32, handled.MessagesRead);
        await right.DisposeAsync();
        Assert.Equal(32, (await right.Node.GetStatisticsAsync()).MessagesRead);
    }

    [Fact]
    public async Task What_is_read_after_the_handle_has_ended_counts_too()
    {
        await using var rig = new NodeRig();
        (Group left, Group right) = await rig.StartPairAsync(
            right: new GroupOptions { InboxMaxMessages = 10, Overflow = OverflowPolicy.FailGroup });
        for (int round = 0; round < 2; round++)
        {
            // Somebody reads, so that the policy rules.
            await left.SendAsync("x");
            await NodeRig.ReadAsync(right, 1);
        }
        for (int index = 0; index < 20; index++) await left.SendAsync("x");
        await Assert.ThrowsAsync<SlowConsumerException>(() => right.Completion.WaitAsync(NodeRig.Patience));
        Assert.Equal(2, (await right.Node.GetStatisticsAsync()).MessagesRead);
        await Assert.ThrowsAsync<SlowConsumerException>(() => NodeRig.ReadToEndAsync(right));
        Assert.Equal(12, (await right.Node.GetStatisticsAsync()).MessagesRead);
    }

    [Fact]
    public async Task Figures_that_are_asked_for_have_all_that_happened_before()
    {
        await using var rig = new NodeRig();
        QuickSilverNode node = await rig.StartAsync();
        Group group = await node.JoinAsync("group");
        for (int round = 1; round <= 20; round++)
        {
            for (int index = 0; index < 100; index++) await group.SendAsync("x");
            await group.FlushAsync();
            NodeStatistics asked = await node.GetStatisticsAsync();
            Assert.Equal((round * 100, 0), (asked.MessagesSent, asked.PendingMessages));
        }
        using var limit = new CancellationTokenSource(TimeSpan.FromMilliseconds(100));
        using (await Trouble.FreezeAsync(node))
            await Assert.ThrowsAnyAsync<OperationCanceledException>(
                () => node.GetStatisticsAsync(limit.Token).WaitAsync(NodeRig.Patience));
        await node.DisposeAsync();
        NodeStatistics last = await node.GetStatisticsAsync();
        Assert.Equal((2_000, NodeState.Stopped), (last.MessagesSent, last.State));
    }

    [Fact]
    public async Task Groups_of_other_modes_have_figures_of_their_own()
    {
        await using var rig = new NodeRig();
        QuickSilverNode[] nodes = new QuickSilverNode[3];
        for (int index = 0; index < nodes.Length; index++)
            nodes[index] = await rig.StartAsync(static options => Testing.FaultExtensions.UseFaults(options, 0.05));
        foreach (GroupMode mode in (GroupMode[])[GroupMode.Lateral, GroupMode.Timed])
        {
            Group[] groups = new Group[nodes.Length];
            for (int index = 0; index < nodes.Length; index++)
            {
                groups[index] = await nodes[index].JoinAsync(
                    $"{mode}",
                    new GroupOptions
                    {
                        // As long as tests wait, nothing is too late or too old.
                        Mode = mode == GroupMode.Lateral
                            ? new LateralMode { Deadline = NodeRig.Patience }
                            : new TimedMode { TimeToLive = NodeRig.Patience },
                        SelfDelivery = false,
                        OnMessage = static (in _) => { },
                    });
            }
            foreach (Group group in groups) await group.WaitForMembersAsync(3).WaitAsync(NodeRig.Patience);
            for (int index = 0; index < 300; index++)
            {
                await groups[0].SendAsync("x");
                if (index % 10 == 0) await Task.Delay(1);
            }
        }
        // Each message counts once, by whichever mode it came.
        NodeStatistics heard = await UntilAsync(
            nodes[1], static now => now.MessagesReceived + now.MessagesLost == 600 && now.Lateral.PacketsRebuilt > 0);
        Assert.Equal(heard.MessagesLost, heard.Lateral.MessagesLost + heard.Timed.MessagesExpired);
        Assert.Equal(300, heard.Lateral.PacketsReceived);
        Assert.True(heard.Lateral.RepairsReceived > 0, "no repair was received");
        Assert.True(heard.Timed.PacketsRecovered > 0, "no timed packet was recovered");
        Assert.True(heard.Timed.PacketsMissing >= heard.Timed.PacketsRecovered, "more came back than were missing");
        NodeStatistics sent = await nodes[0].GetStatisticsAsync();
        Assert.Equal((600, 300, 300), (sent.MessagesSent, sent.Lateral.PacketsSent, sent.Timed.PacketsSent));
        Assert.True(sent.Lateral.RepairsSent > 0, "a sender makes no repairs of its packets");
        Assert.Equal(
            heard.Lateral.PacketsRebuilt, Consumed(nodes[1], "quicksilver.lateral.packets.rebuilt"));
        // What is sent goes on a little after the last message has come.
        Assert.InRange(Consumed(nodes[0], "quicksilver.lateral.repairs.sent"), sent.Lateral.RepairsSent, long.MaxValue);
        Assert.InRange(
            Consumed(nodes[0], "quicksilver.timed.repairs.sent"),
            sent.Timed.RepairsSent + sent.Timed.PartnerRepairsSent, long.MaxValue);
        GroupStatistics top = Assert.Single(
            await nodes[1].GetTopGroupsAsync(5), static group => group.Mode == GroupMode.Timed);
        Assert.Equal("Timed", top.Name);
    }

    [Fact]
    public async Task Ordered_groups_have_figures_of_their_own()
    {
        await using var rig = new NodeRig();
        (Group left, Group right) = await rig.StartPairAsync(
            "state", new GroupOptions { Mode = new OrderedMode() }, new GroupOptions { Mode = new OrderedMode() },
            static options => Testing.FaultExtensions.UseFaults(options, 0.05));
        for (int index = 0; index < 300; index++)
        {
            await left.SendAsync("x");
            if (index % 10 == 0) await Task.Delay(1);
        }
        NodeStatistics heard = await UntilAsync(
            right.Node, static now => now.MessagesReceived == 300 && now.Ordered.PacketsHeld == 0);
        NodeStatistics sent = await UntilAsync(left.Node, static now => now.Ordered.PacketsHeld == 0);
        Assert.Equal((300, 300), (sent.Ordered.MessagesSent, sent.Ordered.MessagesDelivered));
        Assert.Equal((0, 300), (heard.Ordered.MessagesSent, heard.Ordered.MessagesDelivered));
        Assert.Equal(sent.Ordered.PacketsSent, heard.Ordered.PacketsReceived);
        Assert.True(heard.Ordered.Rings >= 1 && heard.Ordered.TokenVisits > 0, "the token has come");
        Assert.Equal(300, sent.MessagesSent);
        Assert.InRange(
            Consumed(left.Node, "quicksilver.ordered.tokens"), sent.Ordered.TokenVisits, long.MaxValue);
    }

    [Fact]
    public async Task Instruments_of_modes_that_a_node_does_not_use_are_silent()
    {
        await using var rig = new NodeRig();
        (Group left, Group right) = await rig.StartPairAsync();
        await left.SendConfirmedAsync("x");
        string[] modes = ["quicksilver.lateral.", "quicksilver.timed.", "quicksilver.ordered."];
        Assert.All(modes, mode => Assert.Equal([], Told(left.Node, mode)));
        ModeOptions[] used = [new LateralMode(), new TimedMode(), new OrderedMode()];
        for (int index = 0; index < used.Length; index++)
        {
            var options = new GroupOptions { Mode = used[index] };
            Group group = await left.Node.JoinAsync($"mode {index}", options);
            await right.Node.JoinAsync($"mode {index}", options);
            await group.WaitForMembersAsync(2).WaitAsync(NodeRig.Patience);
            await group.SendAsync("x");
            string mode = modes[index];
            await NodeRig.UntilAsync(() => Told(left.Node, mode).Count > 0, $"{mode} speaks");
            Assert.All(modes[(index + 1)..], other => Assert.Equal([], Told(left.Node, other)));
        }
    }

    private static List<string> Told(QuickSilverNode node, string prefix)
    {
        var told = new List<string>();
        using var listener = new MeterListener
        {
            InstrumentPublished = (instrument, listener) =>
            {
                if (instrument.Name.StartsWith(prefix, StringComparison.Ordinal))
                    listener.EnableMeasurementEvents(instrument);
            },
        };
        listener.SetMeasurementEventCallback<long>((instrument, _, tags, _) =>
        {
            foreach (KeyValuePair<string, object?> tag in tags)
                if (tag.Key == "quicksilver.node" && node.Name.Equals(tag.Value)) told.Add(instrument.Name);
        });
        listener.Start();
        listener.RecordObservableInstruments();
        return told;
    }

    private static async Task<NodeStatistics> UntilAsync(QuickSilverNode node, Func<NodeStatistics, bool> holds)
    {
        NodeStatistics now = await node.GetStatisticsAsync();
        await NodeRig.UntilAsync(
            async () => holds(now = await node.GetStatisticsAsync()), "the figures are as they should be");
        return now;
    }

    private static async Task<NodeStatistics> UntilDeliveredAsync(QuickSilverNode node, long messages)
    {
        while (true)
        {
            NodeStatistics now = await node.GetStatisticsAsync().WaitAsync(NodeRig.Patience);
            if (now.MessagesReceived >= messages) return now;
            await Task.Delay(5);
        }
    }

    private static long Consumed(QuickSilverNode node, string instrumentName)
    {
        long value = -1;
        using var listener = new MeterListener
        {
            InstrumentPublished = (instrument, listener) =>
            {
                if (instrument.Name == instrumentName) listener.EnableMeasurementEvents(instrument);
            },
        };
        listener.SetMeasurementEventCallback<long>((_, measured, tags, _) =>
        {
            foreach (KeyValuePair<string, object?> tag in tags)
                if (tag.Key == "quicksilver.node" && node.Name.Equals(tag.Value)) value = measured;
        });
        listener.Start();
        listener.RecordObservableInstruments();
        return value;
    }
}
