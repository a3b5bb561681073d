using QuickSilver.Inboxes;
using QuickSilver.Inboxes.Shared;
using QuickSilver.Protocol.Membership;
using PartRig = QuickSilver.Tests.Inboxes.Shared.SharedRig.PartRig;

namespace QuickSilver.Tests.Inboxes.Shared;

/// <summary>The reader of a shared inbox waits, and runs, beside the core.</summary>
public sealed class SharedThreadTests
{
    private static readonly NodeInfo A = InboxRig.Node("a", 1);

    [Fact]
    public async Task A_waiting_reader_wakes_when_a_turn_ends_and_not_before()
    {
        var rig = new SharedRig();
        PartRig group = rig.Join("x");
        SharedReader reader = rig.Core.BeginRead();
        Assert.True(reader.Arm(events: false));
        ValueTask wait = reader.Signal.WaitAsync(default);
        rig.DeliverOne(group, A, [1]);
        Assert.False(wait.IsCompleted);
        rig.Node.PublishShared();
        await wait;
        Assert.Equal(ReadOutcome.Entry, reader.NextMessage(out _));
    }

    [Fact]
    public async Task A_waiting_reader_wakes_at_the_end()
    {
        var rig = new SharedRig();
        SharedReader reader = rig.Core.BeginRead();
        Assert.True(reader.Arm(events: false));
        ValueTask wait = reader.Signal.WaitAsync(default);
        rig.Core.Close(null);
        await wait;
        Assert.Equal(ReadOutcome.Ended, reader.NextMessage(out _));
        Assert.Throws<InvalidOperationException>(rig.Core.BeginRead);
    }

    [Fact]
    public async Task While_core_and_reader_run_at_once_every_number_of_every_group_is_told_once()
    {
        const int count = 400_000, groupCount = 40;
        (OverflowPolicy Overflow, bool Keyed)[] policies =
            [(OverflowPolicy.DropOldest, false), (OverflowPolicy.DropNewest, false), (OverflowPolicy.DropOldest, true)];
        var rig = new SharedRig(messages: 300);
        PartRig[] groups = [.. Enumerable.Range(0, groupCount).Select(
            index => rig.Join(
                $"g{index}", policies[index % 3].Overflow, messages: 10, keyed: policies[index % 3].Keyed))];
        Assert.Empty(rig.ReadMessages());
        string? fault = null;
        int messages = 0;
        var reading = Task.Run(async () =>
        {
            var next = groups.ToDictionary(static group => group, static _ => 1UL);
            SharedReader reader = rig.Core.BeginRead();
            for (int told = 0; told < count;)
            {
                ReadOutcome outcome = reader.NextEvent(out SharedEntry entry);
                if (outcome == ReadOutcome.Entry)
                {
                    var group = (PartRig)entry.Part.Owner;
                    var loss = entry.Entry.Body as LossNote;
                    ulong first = loss?.First ?? entry.Entry.Number;
                    if (first != next[group]) fault ??= $"{group.Name}: {first} came when {next[group]} was next";
                    ulong length = loss?.Count ?? 1;
                    next[group] = first + length;
                    told += (int)length;
                    if (loss is not null) continue;
                    messages++;
                    if (entry.Entry.Number % 3 == 0) reader.Lease(entry).Dispose();
                    else reader.OnCopied(entry);
                }
                else if (reader.Arm(events: true))
                {
                    await reader.Signal.WaitAsync(default);
                }
            }
            rig.Core.EndRead();
        });
        for (int index = 0; index < count; index++)
        {
            rig.DeliverOne(groups[index % groupCount], A, [(byte)(index * 7 % 23)]);
            if (index % 50 != 49) continue;
            rig.Node.PublishShared();
            rig.Node.Returns.Drain();
        }
        rig.Node.PublishShared();
        await reading.WaitAsync(TimeSpan.FromSeconds(60));
        Assert.Null(fault);
        Assert.Equal(count, messages + groups.Sum(static group => group.Dropped.Count));
        Assert.Equal(0, rig.Core.Messages);
        Assert.Equal(0, rig.Core.Bytes);
        Assert.All(groups, static group => Assert.Equal((0L, 0L), (group.Part.Messages, group.Part.Bytes)));
        rig.CloseArena();
        rig.Node.Returns.Drain();
        Assert.Equal(0, rig.Core.PinnedBytes);
        Assert.Equal(0, rig.Pool.OutstandingChunks);
    }
}
