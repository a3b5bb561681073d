using QuickSilver.Inboxes;
using QuickSilver.Protocol.Membership;

namespace QuickSilver.Tests.Inboxes;

/// <summary>The reader waits, and runs, beside the core.</summary>
public sealed class InboxThreadTests
{
    private static readonly NodeInfo A = InboxRig.Node("a", 1);

    [Fact]
    public async Task A_waiting_reader_wakes_when_a_turn_ends_and_not_before()
    {
        var rig = new InboxRig();
        InboxReader reader = rig.Core.BeginRead();
        Assert.True(reader.Arm(events: false));
        ValueTask wait = reader.Signal.WaitAsync(default);
        rig.DeliverOne(A, [1]);
        Assert.False(wait.IsCompleted);
        rig.Core.Publish();
        await wait;
        Assert.Equal(ReadOutcome.Entry, reader.NextMessage(out _));
    }

    [Fact]
    public async Task A_waiting_event_reader_hears_of_a_view_and_a_waiting_message_reader_sleeps_on_after_it()
    {
        var rig = new InboxRig();
        InboxReader reader = rig.Core.BeginRead();
        Assert.True(reader.Arm(events: true));
        ValueTask wait = reader.Signal.WaitAsync(default);
        rig.Core.OnViewChanged(InboxRig.View(1, A));
        rig.Core.Publish();
        await wait;
        Assert.Equal(ReadOutcome.Empty, reader.NextMessage(out _));
        Assert.True(reader.Arm(events: false));
        Assert.True(reader.Signal.TryDisarm());
        Assert.Equal(ReadOutcome.Entry, reader.NextEvent(out InboxEntry entry));
        Assert.IsType<GroupView>(entry.Body);
    }

    [Fact]
    public async Task A_cancelled_wait_throws_and_the_next_reader_goes_on()
    {
        var rig = new InboxRig();
        using var source = new CancellationTokenSource();
        InboxReader reader = rig.Core.BeginRead();
        Assert.True(reader.Arm(events: false));
        ValueTask wait = reader.Signal.WaitAsync(source.Token);
        await source.CancelAsync();
        await Assert.ThrowsAsync<OperationCanceledException>(async () => await wait);
        rig.Core.EndRead();
        rig.Deliver(A, "1");
        Assert.Equal(["1"], rig.ReadMessages());
    }

    [Theory]
    [InlineData(OverflowPolicy.DropOldest, true)]
    [InlineData(OverflowPolicy.DropOldest, false)]
    [InlineData(OverflowPolicy.DropNewest, true)]
    [InlineData(OverflowPolicy.DropNewest, false)]
    public async Task While_core_and_reader_run_at_once_every_number_is_told_once_whatever_is_dropped(
        OverflowPolicy policy, bool keyed)
    {
        const int count = 200_000;
        var rig = new InboxRig(capacity: 40, overflow: policy, keyed: keyed);
        Assert.Empty(rig.ReadMessages());
        string? fault = null;
        int messages = 0;
        var newest = new ulong[64];
        var reading = Task.Run(async () =>
        {
            InboxReader reader = rig.Core.BeginRead();
            for (ulong next = 1; next <= count;)
            {
                ReadOutcome outcome = reader.NextEvent(out InboxEntry entry);
                if (outcome == ReadOutcome.Entry)
                {
                    var loss = entry.Body as LossNote;
                    ulong first = loss?.First ?? entry.Number;
                    if (first != next) fault ??= $"{first} came when {next} was next";
                    next = first + (loss?.Count ?? 1);
                    if (loss is not null) continue;
                    messages++;
                    byte key = entry.Span[0];
                    if (entry.Number <= newest[key]) fault ??= $"key {key} went back";
                    newest[key] = entry.Number;
                    reader.OnCopied(entry);
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
            rig.DeliverOne(A, [(byte)(index * 7 % (index % 1_000 < 500 ? 5 : 64))]);
            if (index % 50 != 49) continue;
            rig.Core.Publish();
            rig.Shared.Returns.Drain();
        }
        rig.Core.Publish();
        await reading.WaitAsync(TimeSpan.FromSeconds(60));
        Assert.Null(fault);
        Assert.Equal(count, messages + rig.Dropped.Count);
        Assert.Equal(0, rig.Core.Messages);
        Assert.Equal(0, rig.Core.Bytes);
        Assert.Equal(0, rig.Core.PinnedBytes);
        rig.CloseArena();
        rig.Shared.Returns.Drain();
        Assert.Equal(0, rig.Pool.OutstandingChunks);
    }

    [Fact]
    public async Task Nothing_is_lost_or_reordered_between_a_core_and_a_reader_that_run_at_once()
    {
        const int count = 300_000;
        var rig = new InboxRig(capacity: count);
        ulong wrong = 0;
        var reading = Task.Run(async () =>
        {
            InboxReader reader = rig.Core.BeginRead();
            ulong next = 1;
            while (next <= count)
            {
                if (reader.NextMessage(out InboxEntry entry) == ReadOutcome.Entry)
                {
                    if (entry.Number != next++) wrong++;
                    reader.OnCopied(entry);
                }
                else if (reader.Arm(events: false))
                {
                    await reader.Signal.WaitAsync(default);
                }
            }
            rig.Core.EndRead();
        });
        for (int index = 0; index < count; index++)
        {
            rig.DeliverOne(A, [1]);
            if (index % 50 != 49) continue;
            rig.Core.Publish();
            rig.Shared.Returns.Drain();
        }
        rig.Core.Publish();
        await reading.WaitAsync(TimeSpan.FromSeconds(60));
        Assert.Equal(0UL, wrong);
        rig.Shared.Returns.Drain();
        rig.CloseArena();
        Assert.InRange(rig.Pool.OutstandingChunks, 0, 2);
    }
}
