using QuickSilver.Loop;
using QuickSilver.Protocol.Core;
using QuickSilver.Tests.Api;

namespace QuickSilver.Tests.Loop;

public sealed class CoreThreadTests
{
    [Fact]
    public async Task An_idle_core_sleeps_until_a_request_comes()
    {
        var rig = new Rig();
        rig.Core.Start();
        Assert.True(await rig.Sleeper.Waiting.WaitAsync(NodeRig.Patience));
        var done = new TaskCompletionSource<int>(TaskCreationOptions.RunContinuationsAsynchronously);
        rig.Requests.Enqueue(new RecordingTarget((_, _) => done.SetResult(Environment.CurrentManagedThreadId)));

        Assert.NotEqual(Environment.CurrentManagedThreadId, await done.Task.WaitAsync(NodeRig.Patience));
        Assert.Equal(1, rig.Gate.Wakes);
        Assert.True(await rig.Sleeper.Waiting.WaitAsync(NodeRig.Patience));
        await rig.StopAsync();
        Assert.True(rig.Core.Sleeps >= 1);
        Assert.True(rig.TurnsEnded > 0);
    }

    [Fact]
    public async Task A_core_that_has_done_all_there_was_sleeps_without_turning_once_more()
    {
        var rig = new Rig();
        var fired = new TaskCompletionSource<int>(TaskCreationOptions.RunContinuationsAsynchronously);
        var alarm = new Alarm(
            rig.Alarms,
            _ =>
            {
                while (rig.Sleeper.Waiting.Wait(0)) continue;
                fired.SetResult(rig.TurnsEnded);
            });
        alarm.Set(rig.Clock.Now + TimeSpan.FromMilliseconds(5));
        rig.Core.Start();
        int turnsBefore = await fired.Task.WaitAsync(NodeRig.Patience);
        Assert.True(await rig.Sleeper.Waiting.WaitAsync(NodeRig.Patience));
        Assert.Equal(turnsBefore + 1, rig.TurnsEnded);
        await rig.StopAsync();
    }

    [Fact]
    public async Task No_request_is_missed_however_it_meets_the_core_going_to_sleep()
    {
        var rig = new Rig();
        rig.Core.Start();
        using var ran = new SemaphoreSlim(0);
        var target = new RecordingTarget((_, _) => ran.Release());
        for (int index = 0; index < 20_000; index++)
        {
            rig.Requests.Enqueue(target);
            Assert.True(await ran.WaitAsync(NodeRig.Patience), $"request {index} was not run");
        }
        await rig.StopAsync();
    }

    [Fact]
    public async Task Nothing_of_its_starters_context_stays_with_the_core()
    {
        var rig = new Rig();
        var scope = new AsyncLocal<string> { Value = "the starter's" };
        rig.Core.Start();
        var seen = new TaskCompletionSource<string?>(TaskCreationOptions.RunContinuationsAsynchronously);
        rig.Requests.Enqueue(new RecordingTarget((_, _) => seen.SetResult(scope.Value)));
        Assert.Null(await seen.Task.WaitAsync(NodeRig.Patience));
        await rig.StopAsync();
    }

    [Fact]
    public async Task An_alarm_ends_sleep()
    {
        var rig = new Rig();
        var fired = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var alarm = new Alarm(rig.Alarms, _ => fired.SetResult());
        alarm.Set(rig.Clock.Now + TimeSpan.FromMilliseconds(5));
        rig.Core.Start();
        await fired.Task.WaitAsync(NodeRig.Patience);
        await rig.StopAsync();
    }

    [Fact]
    public async Task Requests_accepted_before_the_stop_are_run_and_later_ones_refused()
    {
        var rig = new Rig();
        var target = new RecordingTarget();
        for (int index = 0; index < 100; index++) rig.Requests.Enqueue(target);
        rig.Core.RequestStop();
        rig.Core.Start();
        await rig.Core.Ended.WaitAsync(NodeRig.Patience);

        Assert.Equal(100, target.Ran.Count);
        Assert.Equal(1, rig.Stopped);
        Assert.Null(rig.Fault);
        Assert.False(rig.Requests.Enqueue(target));
    }

    [Fact]
    public async Task An_exception_on_the_core_is_reported_once_and_ends_the_thread_in_order()
    {
        var rig = new Rig();
        var after = new RecordingTarget(static (_, _) => throw new InvalidOperationException("second"));
        rig.Requests.Enqueue(new RecordingTarget(static (_, _) => throw new InvalidOperationException("first")));
        rig.Requests.Enqueue(after);
        rig.Requests.Enqueue(after);
        rig.Core.Start();
        await rig.Core.Ended.WaitAsync(NodeRig.Patience);

        Assert.Equal("first", Assert.IsType<InvalidOperationException>(rig.Fault).Message);
        Assert.Equal(1, rig.Faults);
        Assert.Equal(0, rig.Stopped);
        Assert.Equal(2, after.Ran.Count);
        Assert.False(rig.Requests.Enqueue(after));
    }

    [Fact]
    public async Task A_core_told_to_spin_answers_without_being_woken()
    {
        var rig = new Rig(new CoreThreadOptions { Spin = TimeSpan.FromMinutes(1) });
        rig.Core.Start();
        var done = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        rig.Requests.Enqueue(new RecordingTarget((_, _) => done.SetResult()));
        await done.Task.WaitAsync(NodeRig.Patience);
        Assert.Equal(0, rig.Gate.Wakes);
        Assert.Equal(0, rig.Core.Sleeps);
        await rig.StopAsync();
    }

    [Fact]
    public void The_clock_never_goes_back_and_is_far_from_zero()
    {
        var clock = new MonotonicClock();
        Instant last = clock.Now;
        Assert.True(last - Instant.Zero > TimeSpan.FromMinutes(59));
        for (int index = 0; index < 10_000; index++)
        {
            Instant now = clock.Now;
            Assert.True(now >= last);
            last = now;
        }
    }

    private sealed class Rig : ICoreObserver, ICompletionHandler, IPullRoots
    {
        public Rig(CoreThreadOptions? options = null)
        {
            Gate = new WakeGate(Sleeper);
            Requests = new RequestQueue(Gate);
            var loop = new LoopTurn(new LoopParts(Clock, Requests, Sleeper, this, Alarms, this));
            Core = new CoreThread(loop, Requests, Sleeper, Gate, Clock, options ?? new CoreThreadOptions(), this);
        }

        public MonotonicClock Clock { get; } = new();

        public AlarmQueue Alarms { get; } = new();

        public FakeSleeper Sleeper { get; } = new();

        public WakeGate Gate { get; }

        public RequestQueue Requests { get; }

        public CoreThread Core { get; }

        public Exception? Fault { get; private set; }

        public int Faults { get; private set; }

        public int Stopped { get; private set; }

        public int TurnsEnded { get; private set; }

        public bool HasWork => false;

        public async Task StopAsync()
        {
            Core.RequestStop();
            await Core.Ended.WaitAsync(NodeRig.Patience);
            Assert.Null(Fault);
        }

        public void OnTurnEnded(Instant now, bool wasBusy) => TurnsEnded++;

        public void OnStopping(Instant now) => Stopped++;

        public void OnFault(Exception fault, Instant now)
        {
            Fault = fault;
            Faults++;
        }

        public void Handle(ref Completion completion, Instant now) => throw new InvalidOperationException();

        public int PullAll(Instant now) => 0;
    }
}
