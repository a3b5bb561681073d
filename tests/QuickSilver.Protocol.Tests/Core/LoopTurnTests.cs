using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Core;

public sealed class LoopTurnTests
{
    private static readonly TimeSpan Millisecond = TimeSpan.FromMilliseconds(1);

    private readonly LoopBench _bench = new();

    [Fact]
    public void ATurnGoesRequestsThenIoThenAlarmsThenPull()
    {
        _bench.Roots.Datagrams = 1;
        _bench.SetAlarm("alarm", TimeSpan.Zero);
        _bench.Arrive("read", PriorityClass.Data);
        _bench.Requests.Count = 1;

        Assert.True(_bench.Loop.Run());

        Assert.Equal(["request", "read", "alarm", "pull"], _bench.Log);
    }

    [Fact]
    public void ATurnWithNothingToDoSaysSo()
    {
        Assert.False(_bench.Loop.Run());
        Assert.False(_bench.Loop.HasWork);
        Assert.Equal(Instant.Never, _bench.Loop.NextDue);
        Assert.Equal(1UL, _bench.Loop.Statistics.Turns);
        Assert.Equal(0UL, _bench.Loop.Statistics.BusyTurns);
    }

    [Fact]
    public void CompletionsAreHandledByClassAndWithinAClassAsTheyCame()
    {
        _bench.Arrive("data 1", PriorityClass.Data);
        _bench.Arrive("repair", PriorityClass.Repair);
        _bench.Arrive("token 1", PriorityClass.Token);
        _bench.Arrive("nak", PriorityClass.Request);
        _bench.Arrive("data 2", PriorityClass.Data);
        _bench.Arrive("token 2", PriorityClass.Token);

        _bench.Loop.Run();

        Assert.Equal(["token 1", "token 2", "nak", "repair", "data 1", "data 2", "pull"], _bench.Log);
        Assert.Equal(6, _bench.Completions.Recycled);
    }

    [Fact]
    public void TheWordThatASocketIsEmptyComesAfterTheReadsOfThatSocket()
    {
        _bench.Arrive("data 1", PriorityClass.Data);
        _bench.ArriveDrained("empty", PriorityClass.Token);
        _bench.Arrive("repair", PriorityClass.Repair);
        _bench.Arrive("data 2", PriorityClass.Data);

        _bench.Loop.Run();

        Assert.Equal(["repair", "data 1", "empty", "data 2", "pull"], _bench.Log);
    }

    [Fact]
    public void WhatTheQuantumLeavesIsSortedAgainWithWhatComesNext()
    {
        // Every read takes 1 ms and the clock is read after sixteen, so sixteen fill a quantum of 5 ms.
        for (int index = 0; index < 20; index++) _bench.Arrive($"data {index}", PriorityClass.Data);
        _bench.OnHandled = _ => _bench.Clock.Advance(Millisecond);
        _bench.Loop.Run();
        Assert.Equal(16, _bench.Completions.Recycled);
        Assert.True(_bench.Loop.HasWork);
        _bench.Log.Clear();

        _bench.Arrive("token", PriorityClass.Token);
        _bench.Arrive("data 20", PriorityClass.Data);
        _bench.Loop.Run();

        Assert.Equal(["token", "data 16", "data 17", "data 18", "data 19", "data 20", "pull"], _bench.Log);
        Assert.False(_bench.Loop.HasWork);
    }

    [Fact]
    public void ControlLeavesBeforeDataIsHandled()
    {
        _bench.Roots.Control = 2;
        _bench.Arrive("data", PriorityClass.Data);
        _bench.Arrive("token", PriorityClass.Token);

        _bench.Loop.Run();

        Assert.Equal(["token", "control", "data", "pull"], _bench.Log);
        Assert.Equal(2UL, _bench.Loop.Statistics.Datagrams);
    }

    [Fact]
    public void AfterATurnThatNeverCameToThemRepairsAndDataGoFirst()
    {
        for (int index = 0; index < 40; index++) _bench.Arrive("pull request", PriorityClass.Request);
        for (int index = 0; index < 9; index++) _bench.Arrive($"repair {index}", PriorityClass.Repair);
        _bench.ArriveDrained("empty", PriorityClass.Data);
        _bench.Arrive("data", PriorityClass.Data);
        _bench.OnHandled = _ => _bench.Clock.Advance(Millisecond);
        _bench.Loop.Run();
        Assert.Equal(16, _bench.Log.Count(entry => entry == "pull request"));
        _bench.Log.Clear();

        _bench.Loop.Run();

        // Eight repairs; no data, because the word that a socket is empty must not pass the ninth.
        Assert.Equal([.. Enumerable.Range(0, 8).Select(index => $"repair {index}"), "pull request"], _bench.Log[..9]);
        Assert.DoesNotContain("empty", _bench.Log);
    }

    [Fact]
    public void AlarmsAndSendingGoOnWhileIoIsMoreThanAQuantum()
    {
        for (int index = 0; index < 1000; index++) _bench.Arrive("data", PriorityClass.Data);
        _bench.OnHandled = _ => _bench.Clock.Advance(Millisecond);
        _bench.SetAlarm("alarm", TimeSpan.Zero);

        _bench.Loop.Run();

        Assert.Equal(["alarm", "pull"], _bench.Log[^2..]);
    }

    [Fact]
    public void NoMoreReadsAreHeldThanAllowed()
    {
        for (int index = 0; index < 1000; index++) _bench.Arrive("data", PriorityClass.Data);
        _bench.OnHandled = _ => _bench.Clock.Advance(Millisecond);

        _bench.Loop.Run();
        Assert.Equal(LoopTurn.HeldReads, _bench.Completions.LargestRoom);
        _bench.Loop.Run();

        Assert.Equal(16, _bench.Completions.LastRoom);
    }

    [Fact]
    public void AlarmsStopAtTheirQuantumAndTheRestFireNextTurn()
    {
        for (int index = 0; index < 40; index++)
            _bench.SetAlarm("alarm", TimeSpan.Zero, () => _bench.Clock.Advance(Millisecond));

        _bench.Loop.Run();
        Assert.Equal(16UL, _bench.Loop.Statistics.Alarms);
        _bench.Loop.Run();

        Assert.Equal(32UL, _bench.Loop.Statistics.Alarms);
    }

    [Fact]
    public void AnAlarmThatSetsItselfForNowDoesNotHoldTheTurn()
    {
        int fired = 0;
        Alarm? alarm = null;
        alarm = new Alarm(_bench.Alarms, now =>
        {
            fired++;
            alarm!.Set(now);
        });
        alarm.Set(_bench.Clock.Now);

        _bench.Loop.Run();
        _bench.Loop.Run();

        Assert.Equal(2, fired);
    }

    [Fact]
    public void AfterAPauseIoIsHandledOnceMoreBeforeAlarms()
    {
        // One ms a read: the first pass ends after sixteen reads, with the packet that cancels the alarm not yet
        // handled.
        Alarm stale = _bench.SetAlarm("stale", Millisecond);
        _bench.Roots.Datagrams = 1;
        _bench.Loop.Run();
        _bench.Log.Clear();
        for (int index = 0; index < 16; index++) _bench.Arrive("data", PriorityClass.Data);
        _bench.Arrive("cancels", PriorityClass.Data);
        _bench.OnHandled = name =>
        {
            _bench.Clock.Advance(Millisecond);
            if (name == "cancels") stale.Cancel();
        };
        _bench.Clock.Advance(TimeSpan.FromMilliseconds(51));

        _bench.Loop.Run();

        Assert.Equal(1UL, _bench.Loop.Statistics.Warps);
        Assert.Equal(2, _bench.Completions.TakesInLastTurn);
        Assert.DoesNotContain("stale", _bench.Log);
    }

    [Fact]
    public void WithoutAPauseIoIsTakenOnce()
    {
        _bench.Roots.Datagrams = 1;
        _bench.Loop.Run();
        _bench.Clock.Advance(TimeSpan.FromMilliseconds(50));

        _bench.Loop.Run();

        Assert.Equal(0UL, _bench.Loop.Statistics.Warps);
        Assert.Equal(1, _bench.Completions.TakesInLastTurn);
    }

    [Fact]
    public void WaitingUntilTheFirstAlarmIsNoPause()
    {
        _bench.SetAlarm("alarm", TimeSpan.FromSeconds(10));
        Assert.False(_bench.Loop.Run());
        _bench.Clock.Advance(TimeSpan.FromSeconds(10) + Millisecond);

        _bench.Loop.Run();

        Assert.Equal(0UL, _bench.Loop.Statistics.Warps);
        Assert.Equal(Millisecond, _bench.Loop.Statistics.WorstAlarmDelay);
    }

    [Fact]
    public void SleepingOnPastTheFirstAlarmIsAPause()
    {
        _bench.SetAlarm("alarm", TimeSpan.FromSeconds(10));
        Assert.False(_bench.Loop.Run());
        _bench.Clock.Advance(TimeSpan.FromSeconds(11));

        _bench.Loop.Run();

        Assert.Equal(1UL, _bench.Loop.Statistics.Warps);
    }

    [Fact]
    public void APauseInsideTheIoPhaseCountsToo()
    {
        _bench.Arrive("slow", PriorityClass.Data);
        _bench.OnHandled = _ => _bench.Clock.Advance(TimeSpan.FromMilliseconds(60));

        _bench.Loop.Run();

        Assert.Equal(1UL, _bench.Loop.Statistics.Warps);
        Assert.Equal(2, _bench.Completions.TakesInLastTurn);
    }

    [Fact]
    public void AStallIsReportedWithItsPhaseAndDuration()
    {
        _bench.SetAlarm("slow", TimeSpan.Zero, () => _bench.Clock.Advance(TimeSpan.FromMilliseconds(20)));

        _bench.Loop.Run();

        Assert.Equal((TurnPhase.Alarms, TimeSpan.FromMilliseconds(20)), Assert.Single(_bench.Stalls));
        Assert.Equal(1UL, _bench.Loop.Statistics.Stalls);
        Assert.Equal(TimeSpan.FromMilliseconds(20), _bench.Loop.Statistics.TimeIn(TurnPhase.Alarms));
        Assert.Equal(TimeSpan.FromMilliseconds(20), _bench.Loop.Statistics.LongestTurn);
    }

    [Fact]
    public void APullThatTookLongCountsThoughItSentNothing()
    {
        _bench.OnPull = () => _bench.Clock.Advance(TimeSpan.FromMilliseconds(20));

        Assert.False(_bench.Loop.Run());

        Assert.Equal((TurnPhase.Pull, TimeSpan.FromMilliseconds(20)), Assert.Single(_bench.Stalls));
        Assert.Equal(TimeSpan.FromMilliseconds(20), _bench.Loop.Statistics.LongestTurn);
    }

    [Fact]
    public void TheClockIsReadPerBatchAndNotPerItem()
    {
        for (int index = 0; index < 320; index++) _bench.Arrive("data", PriorityClass.Data);
        int before = _bench.Clock.Reads;

        _bench.Loop.Run();

        Assert.Equal(320, _bench.Completions.Recycled);
        Assert.InRange(_bench.Clock.Reads - before, 20, 27);
    }

    [Fact]
    public void ATurnAllocatesNothing()
    {
        _bench.Quiet = true;
        var alarm = new Alarm(_bench.Alarms, static _ => { });
        for (int round = 0; round < 3; round++) Exercise(alarm);

        Assert.Equal(0, AllocatedBytes.Of(() => Exercise(alarm)));
    }

    private void Exercise(Alarm alarm)
    {
        for (int index = 0; index < 64; index++) _bench.Arrive("data", (PriorityClass)(index % PriorityClasses.Count));
        alarm.Set(_bench.Clock.Now);
        _bench.Loop.Run();
    }
}
