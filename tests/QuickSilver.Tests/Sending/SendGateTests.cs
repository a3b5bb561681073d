using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Tests;
using QuickSilver.Sending;

namespace QuickSilver.Tests.Sending;

public sealed class SendGateTests
{
    private const int MostMessages = 8_192;

    private readonly FakeSendQueue _queue = new();
    private readonly FakeOwner _owner = new();
    private readonly UnsentBudget _budget = new(2 << 20);
    private readonly SendGate _gate;

    public SendGateTests() => _gate = new SendGate(_queue, new SendWaiterPool(), _budget, MostMessages, 1 << 20);

    [Fact]
    public void Unsent_messages_shut_the_gate_at_the_limit_and_open_it_at_half()
    {
        Fill(MostMessages);
        Assert.False(_gate.TryEnter(1));
        Assert.False(_gate.IsOpen);

        Take((MostMessages / 2) - 1);
        Assert.False(_gate.TryEnter(1));
        Take(1);
        Assert.True(_gate.IsOpen);
        Assert.True(_gate.TryEnter(1));
    }

    [Fact]
    public void Unsent_bytes_shut_the_gate_but_one_long_message_passes_when_nothing_is()
    {
        Assert.True(_gate.TryEnter(16 << 20));
        Assert.False(_gate.TryEnter(1));
        Take(1, 16 << 20);
        Assert.True(_gate.TryEnter(1));
    }

    [Fact]
    public void In_a_crowded_node_each_group_keeps_a_share_and_none_waits_for_another()
    {
        var other = new SendGate(new FakeSendQueue(), new SendWaiterPool(), _budget, MostMessages, 1 << 20);
        _budget.Change(2 << 20);
        for (int index = 0; index < 2; index++) Assert.True(_gate.TryEnter(1_024));
        Assert.False(_gate.TryEnter(1));
        Assert.True(other.TryEnter(1));

        Take(1, 1_024);
        Assert.True(_gate.TryEnter(1_024));
        Assert.False(_gate.TryEnter(1));

        _budget.Change(-(2 << 20));
        Take(1, 1_024);
        for (int index = 0; index < 100; index++) Assert.True(_gate.TryEnter(1_024));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    public async Task A_message_to_several_groups_that_waits_ends_with_any_of_its_handles(int ends)
    {
        FakeOwner[] owners = [_owner, new FakeOwner()];
        PooledPayload message = new SendBufferPool().Copy(new byte[3]);
        message.Owners = owners;
        _gate.OnGateChanged(open: false);
        Assert.True(_gate.TryWait(_owner, message, 3, default, out ValueTask waits));
        Assert.False(waits.IsCompleted);
        owners[ends].Reason = new InvalidDataException($"{ends} ends");
        _gate.OnOwnerEnded(owners[ends]);
        var told = await Assert.ThrowsAsync<InvalidDataException>(async () => await waits);
        Assert.Equal($"{ends} ends", told.Message);
        Assert.Same(message, Assert.Single(_queue.Discarded));
        // Nor does one wait that comes later.
        Assert.True(_gate.TryWait(_owner, message, 3, default, out waits));
        await Assert.ThrowsAsync<InvalidDataException>(async () => await waits);
        _gate.OnGateChanged(open: true);
        Assert.Empty(_queue.Requests);
    }

    [Fact]
    public async Task A_message_to_several_groups_waits_while_one_of_them_does_not_enter()
    {
        FakeOwner[] owners = [_owner, new FakeOwner()];
        PooledPayload message = new SendBufferPool().Copy(new byte[3]);
        message.Owners = owners;
        _gate.OnGateChanged(open: false);
        Assert.True(_gate.TryWait(_owner, message, 3, default, out ValueTask waits));
        _queue.Away = owners[1].StagedGroup;
        _gate.OnGateChanged(open: true);
        Assert.Empty(_queue.Requests);
        Assert.False(_gate.TryWait(_owner, message, 3, default, out _));
        _queue.Away = null;
        _gate.AdvanceFromCore();
        await waits;
        Assert.Same(message, Assert.Single(_queue.Requests));
    }

    [Fact]
    public async Task Calls_beyond_the_limit_of_those_that_wait_end_at_once_and_send_nothing()
    {
        var gate = new SendGate(_queue, new SendWaiterPool(), _budget, MostMessages, 1 << 20, maxWaiting: 2);
        gate.OnGateChanged(open: false);
        ValueTask[] waits = [.. Enumerable.Range(0, 3).Select(number =>
        {
            Assert.True(gate.TryWait(_owner, number, 1, default, out ValueTask task));
            return task;
        })];
        Assert.True(gate.TryWait(_owner, default, out ValueTask<bool> room));
        var told = await Assert.ThrowsAsync<QuickSilverException>(async () => await waits[2]);
        Assert.Equal(ErrorCode.TooManyWaitingSends, told.Code);
        Assert.Contains("MaxWaitingCallsPerRegion", told.Message, StringComparison.Ordinal);
        await Assert.ThrowsAsync<QuickSilverException>(async () => await room);
        Assert.False(waits[0].IsCompleted || waits[1].IsCompleted);

        gate.OnGateChanged(open: true);
        foreach (ValueTask wait in waits[..2]) await wait;
        Assert.Equal([0, 1], _queue.Requests.Cast<int>());
    }

    [Fact]
    public async Task Calls_that_have_waited_for_a_time_end_and_later_ones_wait_on_in_their_order()
    {
        Instant start = Instant.Zero + TimeSpan.FromSeconds(1);
        Instant after = start + TimeSpan.FromSeconds(2);
        var reason = new QuickSilverException(ErrorCode.SendHeldUp, "held up");
        _gate.OnGateChanged(open: false);
        ValueTask first = EnterAsync(_owner, 0, 1, default);
        Assert.True(_gate.TryWait(_owner, default, out ValueTask<bool> room));
        Assert.Equal(0, EndWaits(start));
        ValueTask second = EnterAsync(_owner, 1, 1, default);
        Assert.Equal(2, EndWaits(after));
        Assert.Same(reason, await Assert.ThrowsAsync<QuickSilverException>(async () => await first));
        Assert.Same(reason, await Assert.ThrowsAsync<QuickSilverException>(async () => await room));
        Assert.Equal([0], _queue.Discarded.Cast<int>());
        Assert.False(second.IsCompleted);
        // What counts is the later of the two: the call, and the time from which on nobody serves.
        Assert.Equal(0, _gate.EndWaits(
            after + TimeSpan.FromSeconds(1), TimeSpan.FromSeconds(2), _ => reason, after + TimeSpan.FromSeconds(2)));

        _gate.OnGateChanged(open: true);
        await second;
        Assert.Equal([1], _queue.Requests.Cast<int>());

        int EndWaits(Instant now) => _gate.EndWaits(start, TimeSpan.FromSeconds(2), _ => reason, now);
    }

    [Fact]
    public void A_gate_stands_while_it_is_shut_and_nothing_is_taken_between_two_looks()
    {
        Instant start = Instant.Zero + TimeSpan.FromSeconds(1);
        Instant later = start + TimeSpan.FromSeconds(1);
        Assert.Null(_gate.LookWhetherStanding(start));
        Fill(MostMessages);
        Assert.False(_gate.TryEnter(1));
        Assert.Equal(start, _gate.LookWhetherStanding(start));
        Assert.Equal(start, _gate.LookWhetherStanding(later));
        Take(1);
        Assert.Null(_gate.LookWhetherStanding(later));
        Assert.Equal(later, _gate.LookWhetherStanding(later));
    }

    [Fact]
    public async Task Waiters_are_admitted_in_the_order_of_their_calls_and_nobody_overtakes_them()
    {
        _gate.OnGateChanged(open: false);
        ValueTask[] waits = [.. Enumerable.Range(0, 10).Select(index => EnterAsync(_owner, index, 1, default))];
        Assert.False(_gate.TryEnter(1));
        Assert.DoesNotContain(waits, static wait => wait.IsCompleted);

        _gate.OnGateChanged(open: true);
        foreach (ValueTask wait in waits) await wait;
        Assert.Equal(Enumerable.Range(0, 10), _queue.Requests.Cast<int>());
        Assert.True(_gate.TryEnter(1));
    }

    [Fact]
    public async Task A_gate_that_opens_lets_in_no_more_than_may_be_unsent()
    {
        _gate.OnGateChanged(open: false);
        const int waiters = MostMessages + 100;
        ValueTask[] waits = [
            .. Enumerable.Range(0, waiters).Select(index => EnterAsync(_owner, index, 1, default))];

        _gate.OnGateChanged(open: true);
        Assert.Equal(MostMessages, _queue.Requests.Count);
        Assert.False(_gate.TryEnter(1));

        Take(MostMessages);
        foreach (ValueTask wait in waits) await wait;
        Assert.Equal(Enumerable.Range(0, waiters), _queue.Requests.Cast<int>());
    }

    [Fact]
    public async Task A_cancelled_waiter_is_not_sent_and_those_behind_it_are()
    {
        using var source = new CancellationTokenSource();
        _gate.OnGateChanged(open: false);
        ValueTask first = EnterAsync(_owner, "first", 1, source.Token);
        ValueTask second = EnterAsync(_owner, "second", 1, default);

        await source.CancelAsync();
        var thrown = await Assert.ThrowsAsync<OperationCanceledException>(async () => await first);
        Assert.Equal(source.Token, thrown.CancellationToken);
        Assert.Equal(["first"], _queue.Discarded);

        _gate.OnGateChanged(open: true);
        await second;
        Assert.Equal(["second"], _queue.Requests);
    }

    [Fact]
    public async Task The_last_waiter_that_is_cancelled_leaves_an_open_gate_behind()
    {
        using var source = new CancellationTokenSource();
        Fill(MostMessages);
        ValueTask wait = EnterAsync(_owner, "late", 1, source.Token);
        await source.CancelAsync();
        await Assert.ThrowsAsync<OperationCanceledException>(async () => await wait);
        Take(MostMessages);
        Assert.True(_gate.TryEnter(1));
    }

    [Fact]
    public async Task A_token_cancelled_after_admission_changes_nothing()
    {
        using var source = new CancellationTokenSource();
        _gate.OnGateChanged(open: false);
        ValueTask wait = EnterAsync(_owner, "message", 1, source.Token);
        _gate.OnGateChanged(open: true);
        await source.CancelAsync();
        await wait;
        Assert.Equal(["message"], _queue.Requests);
        Assert.Empty(_queue.Discarded);
    }

    [Fact]
    public async Task A_call_that_asks_for_room_stands_in_line_and_takes_no_place()
    {
        _gate.OnGateChanged(open: false);
        ValueTask<bool> room = WaitAsync(_owner);
        ValueTask behind = EnterAsync(_owner, "behind", 1, default);
        Assert.False(room.IsCompleted);

        _gate.OnGateChanged(open: true);
        Assert.True(await room);
        await behind;
        Assert.Equal(["behind"], _queue.Requests);
    }

    [Fact]
    public async Task Waiters_of_a_handle_that_ends_fail_with_its_reason_and_others_stay()
    {
        var other = new FakeOwner();
        _gate.OnGateChanged(open: false);
        ValueTask mine = EnterAsync(_owner, "mine", 1, default);
        ValueTask<bool> asking = WaitAsync(_owner);
        ValueTask theirs = EnterAsync(other, "theirs", 1, default);

        _owner.Reason = new ObjectDisposedException("handle");
        _gate.OnOwnerEnded(_owner);
        await Assert.ThrowsAsync<ObjectDisposedException>(async () => await mine);
        Assert.False(await asking);
        Assert.False(theirs.IsCompleted);

        _gate.OnGateChanged(open: true);
        await theirs;
        Assert.Equal(["theirs"], _queue.Requests);
        await Assert.ThrowsAsync<ObjectDisposedException>(
            async () => await EnterAsync(_owner, "late", 1, default));
    }

    [Fact]
    public async Task What_a_closed_queue_refuses_is_given_back()
    {
        _gate.OnGateChanged(open: false);
        ValueTask wait = EnterAsync(_owner, "message", 1, default);
        _queue.IsClosed = true;
        _owner.Reason = new ObjectDisposedException("handle");
        _gate.OnGateChanged(open: true);
        await Assert.ThrowsAsync<ObjectDisposedException>(async () => await wait);
        Assert.Equal(["message"], _queue.Discarded);
    }

    [Fact]
    public void A_full_gate_costs_no_allocation_per_waiting_call()
    {
        object request = "message";
        Cycle(request, 1_000);
        Assert.InRange(AllocatedBytes.Of(() => Cycle(request, 10_000)), 0, 1_000);
    }

    // What a context throws, or whatever else it does, must meet neither the core nor the gate's lock.
    [Fact]
    public async Task The_context_of_a_call_that_waited_is_called_on_the_pool()
    {
        Fill(MostMessages);
        Assert.False(_gate.TryEnter(1));
        var context = new RecordingContext();
        Task waiting = context.Run(async () => await EnterAsync(_owner, "message", 1, default));
        var core = new Thread(() => Take(MostMessages));
        core.Start();
        await waiting.WaitAsync(TimeSpan.FromSeconds(60));
        Assert.Equal([true], context.WasOnPool);
    }

    [Fact]
    public async Task Nothing_is_lost_or_stuck_between_many_senders_and_a_core()
    {
        const int senders = 4;
        const int each = 30_000;
        var queue = new FakeSendQueue();
        var gate = new SendGate(queue, new SendWaiterPool(), new UnsentBudget(2 << 20), MostMessages, 1 << 20);
        int admitted = 0;
        Task[] tasks = [.. Enumerable.Range(0, senders).Select(sender => Task.Run(async () =>
        {
            for (int index = 0; index < each; index++)
            {
                if (gate.TryEnter(100)) queue.TryEnqueue(_owner.StagedGroup, sender);
                else await EnterAsync(gate, _owner, sender, 100);
                Interlocked.Increment(ref admitted);
            }
        }))];

        int taken = 0;
        int turn = 0;
        while (taken < senders * each)
        {
            int ready = Math.Min(Volatile.Read(ref admitted), queue.Requests.Count);
            for (; taken < ready; taken++) gate.OnSent(1, 100);
            gate.FlushSent();
            if (++turn % 7 == 0) gate.OnGateChanged(open: false);
            if (turn % 7 == 3) gate.OnGateChanged(open: true);
            if (queue.Advances > 0) gate.AdvanceFromCore();
            if (ready == taken) Thread.Yield();
        }
        await Task.WhenAll(tasks).WaitAsync(TimeSpan.FromSeconds(60));
        Assert.Equal(senders * each, queue.Requests.Count);
    }

    [Fact]
    public async Task Waiters_of_a_group_that_moves_go_on_at_the_other_gate_in_their_order()
    {
        var stays = new FakeOwner();
        var queue = new FakeSendQueue();
        var gate = new SendGate(queue, new SendWaiterPool(), _budget, MostMessages, 1 << 20);
        _gate.OnGateChanged(open: false);
        gate.OnGateChanged(open: false);
        using var source = new CancellationTokenSource();
        ValueTask[] moved = [
            .. Enumerable.Range(0, 3).Select(
                index => EnterAsync(_owner, index, 1, index == 1 ? source.Token : default))];
        ValueTask staying = EnterAsync(stays, "stays", 1, default);
        ValueTask behind = EnterAsync(gate, stays, "before", 1);

        _queue.Away = _owner.StagedGroup;
        Assert.False(_gate.TryWait(_owner, "late", 1, default, out _));
        _gate.MoveWaiters(_owner.StagedGroup, gate);
        _gate.OnGateChanged(open: true);
        await staying;
        Assert.Equal(["stays"], _queue.Requests);

        await source.CancelAsync();
        await Assert.ThrowsAsync<OperationCanceledException>(async () => await moved[1]);
        gate.OnGateChanged(open: true);
        await behind;
        await moved[0];
        await moved[2];
        Assert.Equal<object>(["before", 0, 2], queue.Requests);
        Assert.Equal<object>([1], _queue.Discarded.Concat(queue.Discarded));
    }

    [Fact]
    public async Task Waiters_of_a_group_that_is_about_to_move_hold_the_line_until_it_has_moved()
    {
        _gate.OnGateChanged(open: false);
        ValueTask wait = EnterAsync(_owner, "message", 1, default);
        _queue.Away = _owner.StagedGroup;
        _gate.OnGateChanged(open: true);
        Assert.False(wait.IsCompleted);
        _queue.Away = null;
        _gate.AdvanceFromCore();
        await wait;
        Assert.Equal(["message"], _queue.Requests);
    }

    private static ValueTask EnterAsync(SendGate gate, FakeOwner owner, object request, int bytes)
    {
        Assert.True(gate.TryWait(owner, request, bytes, default, out ValueTask task));
        return task;
    }

    private ValueTask EnterAsync(FakeOwner owner, object request, int bytes, CancellationToken cancellationToken)
    {
        Assert.True(_gate.TryWait(owner, request, bytes, cancellationToken, out ValueTask task));
        return task;
    }

    private ValueTask<bool> WaitAsync(FakeOwner owner)
    {
        Assert.True(_gate.TryWait(owner, default, out ValueTask<bool> task));
        return task;
    }

    private void Cycle(object request, int times)
    {
        for (int index = 0; index < times; index++)
        {
            _gate.OnGateChanged(open: false);
            ValueTask wait = EnterAsync(_owner, request, 1, default);
            _queue.Requests.Clear();
            _gate.OnGateChanged(open: true);
            // On the pool, soon.
            while (!wait.IsCompleted) Thread.Yield();
            wait.GetAwaiter().GetResult();
            Take(1);
        }
    }

    private void Fill(int messages)
    {
        for (int index = 0; index < messages; index++) Assert.True(_gate.TryEnter(1));
    }

    private void Take(int messages, int bytes = 1)
    {
        for (int index = 0; index < messages; index++) _gate.OnSent(1, bytes);
        _gate.FlushSent();
    }
}
