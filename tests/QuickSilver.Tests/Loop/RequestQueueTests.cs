using QuickSilver.Loop;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Tests;

namespace QuickSilver.Tests.Loop;

public sealed class RequestQueueTests
{
    private static readonly Instant Now = new(1_000);

    [Fact]
    public void Requests_run_in_the_order_in_which_one_thread_made_them_through_growing_rings()
    {
        var queue = new RequestQueue(new WakeGate(new FakeSleeper()), capacity: 4);
        var target = new RecordingTarget();
        for (int index = 0; index < 1000; index++) Assert.True(queue.Enqueue(target, argument: index));

        Assert.Equal(1000, queue.RunAll(Now));
        Assert.Equal(
            Enumerable.Range(0, 1000).Select(static index => (long)index),
            target.Ran.Select(static ran => ran.Argument));
        Assert.False(queue.HasRequests);
    }

    [Fact]
    public void A_request_made_while_requests_run_waits_for_the_next_turn()
    {
        RequestQueue queue = null!;
        RecordingTarget target = null!;
        target = new RecordingTarget((_, argument) =>
        {
            if (argument < 100) queue.Enqueue(target, argument: argument + 100);
        });
        queue = new RequestQueue(new WakeGate(new FakeSleeper()), capacity: 4);
        for (int index = 0; index < 10; index++) queue.Enqueue(target, argument: index);

        Assert.Equal(10, queue.RunAll(Now));
        Assert.True(queue.HasRequests);
        Assert.Equal(10, queue.RunAll(Now));
        Assert.Equal(0, queue.RunAll(Now));
        Assert.Equal(100, target.Ran[10].Argument);
    }

    [Fact]
    public void Nothing_is_lost_doubled_or_reordered_with_many_producers()
    {
        const int producers = 8;
        const int each = 40_000;
        var queue = new RequestQueue(new WakeGate(new FakeSleeper()), capacity: 16);
        long[] next = new long[producers];
        int wrong = 0;
        var checker = new CheckingTarget((payload, argument) =>
        {
            int producer = (int)payload!;
            if (next[producer]++ != argument) wrong++;
        });
        object[] names = [.. Enumerable.Range(0, producers).Cast<object>()];
        Thread[] threads = [.. Enumerable.Range(0, producers).Select(producer => new Thread(() =>
        {
            for (int index = 0; index < each; index++) queue.Enqueue(checker, names[producer], index);
        }))];
        foreach (Thread thread in threads) thread.Start();

        int ran = 0;
        var spin = default(SpinWait);
        while (ran < producers * each)
        {
            int now = queue.RunAll(Now);
            ran += now;
            if (now == 0) spin.SpinOnce();
        }
        foreach (Thread thread in threads) thread.Join();

        Assert.Equal(0, wrong);
        Assert.All(next, static count => Assert.Equal(each, count));
        Assert.Equal(0, queue.RunAll(Now));
    }

    [Fact]
    public void A_closed_queue_runs_what_is_left_in_all_of_its_rings()
    {
        var queue = new RequestQueue(new WakeGate(new FakeSleeper()), capacity: 4);
        var target = new RecordingTarget();
        for (int index = 0; index < 13; index++) queue.Enqueue(target, argument: index);
        queue.Close();
        Assert.False(queue.IsDrained);
        Assert.Equal(13, queue.RunRest(Now));
        Assert.True(queue.IsDrained);
    }

    [Fact]
    public void Each_request_is_either_refused_or_run_when_the_queue_closes_under_its_producers()
    {
        for (int round = 0; round < 50; round++)
        {
            var queue = new RequestQueue(new WakeGate(new FakeSleeper()), capacity: 4);
            long ran = 0;
            var target = new CheckingTarget((_, _) => ran++);
            long accepted = 0;
            using var started = new CountdownEvent(3);
            Thread[] threads = [.. Enumerable.Range(0, 3).Select(_ => new Thread(() =>
            {
                started.Signal();
                while (queue.Enqueue(target)) Interlocked.Increment(ref accepted);
            }))];
            foreach (Thread thread in threads) thread.Start();
            started.Wait();
            queue.RunAll(Now);
            queue.Close();
            queue.RunRest(Now);
            foreach (Thread thread in threads) thread.Join();

            Assert.True(queue.IsDrained);
            Assert.Equal(accepted, ran);
            Assert.False(queue.Enqueue(target));
        }
    }

    [Fact]
    public void A_request_that_throws_is_not_run_again()
    {
        var queue = new RequestQueue(new WakeGate(new FakeSleeper()), capacity: 4);
        var target = new RecordingTarget(static (_, argument) =>
        {
            if (argument == 0) throw new InvalidOperationException("first");
        });
        queue.Enqueue(target, argument: 0);
        queue.Enqueue(target, argument: 1);

        Assert.Throws<InvalidOperationException>(() => queue.RunAll(Now));
        Assert.Equal(1, queue.RunAll(Now));
        Assert.Equal([0L, 1L], target.Ran.Select(static ran => ran.Argument));
    }

    [Fact]
    public void Only_the_first_request_after_the_core_has_declared_itself_asleep_wakes_it()
    {
        var sleeper = new FakeSleeper();
        var gate = new WakeGate(sleeper);
        var queue = new RequestQueue(gate);
        var target = new RecordingTarget();
        for (int index = 0; index < 100; index++) queue.Enqueue(target);
        Assert.Equal(0, sleeper.Woken);

        gate.DeclareAsleep();
        for (int index = 0; index < 100; index++) queue.Enqueue(target);
        Assert.Equal(1, sleeper.Woken);
        Assert.Equal(1, gate.Wakes);

        gate.DeclareAwake();
        queue.Enqueue(target);
        Assert.Equal(1, sleeper.Woken);
    }

    [Fact]
    public void A_queue_that_has_met_its_largest_burst_allocates_nothing()
    {
        var queue = new RequestQueue(new WakeGate(new FakeSleeper()), capacity: 16);
        var target = new CheckingTarget(static (_, _) => { });
        Burst(queue, target);
        Assert.Equal(0, AllocatedBytes.Of(() =>
        {
            for (int round = 0; round < 20; round++) Burst(queue, target);
        }));
    }

    private static void Burst(RequestQueue queue, CheckingTarget target)
    {
        for (int index = 0; index < 500; index++) queue.Enqueue(target, target, index);
        queue.RunAll(Now);
    }

    private sealed class CheckingTarget(Action<object?, long> check) : IRequestTarget
    {
        public void Run(object? payload, long argument, Instant now) => check(payload, argument);
    }
}
