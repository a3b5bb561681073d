using System.Collections.Concurrent;

namespace QuickSilver.Tests.Api;

/// <summary>Groups of other modes than the reliable one over sockets, when a sender dies and when a receiver
/// stands still.</summary>
[Collection(NodeCollection.Name)]
public sealed class ModeTroubleTests
{
    private const int Messages = 200;

    [Theory]
    [InlineData(GroupMode.Lateral)]
    [InlineData(GroupMode.Timed)]
    [InlineData(GroupMode.Ordered)]
    public async Task A_sender_that_dies_in_mid_stream_leaves_others_untouched(GroupMode mode)
    {
        await using var rig = new NodeRig();
        await rig.StartAsync(Dying);
        Group[] groups = await JoinAsync(rig, mode, 4);
        var heard = groups[2..].Select(Listen).ToArray();

        // Both send until the first is gone from the others' views.
        Task dying = Task.Run(async () =>
        {
            for (int index = 0; ; index++)
            {
                await groups[0].SendAsync($"dying {index}");
                await Task.Delay(1);
            }
        });
        Task living = Task.Run(async () =>
        {
            for (int index = 0; index < Messages || groups[1].View.MemberCount > 3; index++)
            {
                await groups[1].SendAsync($"living {index}");
                await Task.Delay(2);
            }
            await groups[1].SendAsync("end");
        });
        foreach (ConcurrentQueue<string> one in heard)
            await NodeRig.UntilAsync(() => one.Count(static text => text[0] == 'd') > 10, "the first is heard");
        await Trouble.CrashAsync(groups[0].Node);
        await Assert.ThrowsAsync<QuickSilverException>(() => dying);
        await living.WaitAsync(NodeRig.Patience);

        foreach (ConcurrentQueue<string> one in heard)
        {
            await NodeRig.UntilAsync(() => Count(one) > 0 && one.Contains("end"), "the other's end is heard");
            await NodeRig.UntilAsync(() => IsWhole(one), "all of the other's messages are heard");
            string[] living1 = [.. one.Where(static text => text[0] == 'l')];
            Assert.Equal(living1.Length, living1.Distinct().Count());
            // Lateral groups promise no order.
            if (mode != GroupMode.Lateral) Assert.Equal(Expected(living1.Length), living1);
            string[] died = [.. one.Where(static text => text[0] == 'd')];
            Assert.Equal(died.Length, died.Distinct().Count());
        }
        // What the dead one had sent, too, is the same at all, and at the same places.
        if (mode == GroupMode.Ordered) Assert.Equal(heard[0], heard[1]);
        foreach (Group group in groups[1..]) Assert.Equal(NodeState.Running, group.Node.State);
    }

    [Theory]
    [InlineData(GroupMode.Lateral)]
    [InlineData(GroupMode.Timed)]
    public async Task A_receiver_that_stood_still_comes_back_and_held_nobody_up(GroupMode mode)
    {
        await using var rig = new NodeRig();
        await rig.StartAsync(Trouble.Patient);
        Group[] groups = await JoinAsync(rig, mode, 3, Trouble.Patient);
        var others = Listen(groups[1]);
        var stopped = Listen(groups[2]);
        await groups[0].SendAsync("living 0");
        await NodeRig.UntilAsync(() => Count(stopped) == 1, "the first message is heard");
        using (await Trouble.FreezeAsync(groups[2].Node))
        {
            for (int index = 1; index < Messages; index++)
            {
                await groups[0].SendAsync($"living {index}");
                if (index % 10 == 0) await Task.Delay(1);
            }
            await NodeRig.UntilAsync(() => Count(others) == Messages, "the other member has all");
            Assert.Equal(1, Count(stopped));
        }
        await NodeRig.UntilAsync(() => Count(stopped) == Messages, "the member that stood still has all");
        string[] heard = [.. stopped];
        Assert.Equal(Messages, heard.Distinct().Count());
        if (mode == GroupMode.Timed) Assert.Equal(Expected(Messages), heard);
        Assert.Equal(0, (await groups[2].Node.GetStatisticsAsync()).MessagesLost);
    }

    // A node that dies closes its connection; one that lives is never removed, however slow the machine is.
    private static void Dying(QuickSilverOptions options)
    {
        Trouble.Patient(options);
        options.Membership.ReconnectGrace = TimeSpan.FromMilliseconds(250);
        options.Shutdown.DrainTimeout = TimeSpan.FromMilliseconds(300);
    }

    private static async Task<Group[]> JoinAsync(
        NodeRig rig, GroupMode mode, int count, Action<QuickSilverOptions>? change = null)
    {
        var options = new GroupOptions
        {
            // As long as tests wait, nothing is too old.
            Mode = mode switch
            {
                GroupMode.Timed => new TimedMode { TimeToLive = NodeRig.Patience, PacketsPerSecond = 200 },
                GroupMode.Ordered => new OrderedMode(),
                _ => new LateralMode { Deadline = NodeRig.Patience },
            },
            SelfDelivery = false,
        };
        var groups = new Group[count];
        for (int index = 0; index < count; index++)
            groups[index] = await (await rig.StartAsync(change ?? Dying)).JoinAsync("world", options);
        foreach (Group group in groups) await group.WaitForMembersAsync(count).WaitAsync(NodeRig.Patience);
        return groups;
    }

    private static ConcurrentQueue<string> Listen(Group group)
    {
        var heard = new ConcurrentQueue<string>();
        group.Subscribe((in MessageRef message) =>
            heard.Enqueue(System.Text.Encoding.UTF8.GetString(message.Payload)));
        return heard;
    }

    private static int Count(ConcurrentQueue<string> heard) => heard.Count(static text => text[0] == 'l');

    private static IEnumerable<string> Expected(int count) =>
        Enumerable.Range(0, count).Select(static index => $"living {index}");

    private static bool IsWhole(ConcurrentQueue<string> heard)
    {
        int[] numbers = [.. heard.Where(static text => text[0] == 'l').Select(static text => int.Parse(text[7..]))];
        return numbers.Length >= Messages && numbers.Max() == numbers.Length - 1;
    }
}
