using QuickSilver.Protocol.Core;

namespace QuickSilver.Protocol.Tests.Core;

public sealed class AlarmQueueTests
{
    private readonly AlarmQueue _queue = new();
    private readonly List<string> _fired = [];

    [Fact]
    public void AnEmptyQueueIsNeverDue()
    {
        Assert.Equal(Instant.Never, _queue.NextDue);
        Assert.Equal(0, _queue.Count);
        Assert.False(_queue.FireNext(Instant.Never));
    }

    [Fact]
    public void AlarmsFireInTheOrderInWhichTheyAreDue()
    {
        Named("late").Set(At(30));
        Named("early").Set(At(10));
        Named("middle").Set(At(20));

        FireAll(At(25));

        Assert.Equal(["early", "middle"], _fired);
        Assert.Equal(At(30), _queue.NextDue);
    }

    [Fact]
    public void AlarmsDueAtOneInstantFireInTheOrderInWhichTheyWereSet()
    {
        Alarm first = Named("a");
        first.Set(At(10));
        Named("b").Set(At(10));
        Named("c").Set(At(10));
        first.Set(At(10));

        FireAll(At(10));

        Assert.Equal(["b", "c", "a"], _fired);
    }

    [Fact]
    public void AnAlarmIsDueAtItsInstantAndNotBefore()
    {
        Named("a").Set(At(10));

        Assert.False(_queue.FireNext(At(9)));
        Assert.True(_queue.FireNext(At(10)));
    }

    [Fact]
    public void ACancelledAlarmDoesNotFire()
    {
        Alarm alarm = Named("a");
        alarm.Set(At(10));
        alarm.Cancel();
        alarm.Cancel();

        FireAll(At(100));

        Assert.Empty(_fired);
        Assert.False(alarm.IsSet);
        Assert.Equal(Instant.Never, _queue.NextDue);
    }

    [Fact]
    public void SettingAgainMovesAnAlarm()
    {
        Alarm alarm = Named("a");
        alarm.Set(At(10));
        alarm.Set(At(30));
        Named("b").Set(At(20));

        FireAll(At(40));

        Assert.Equal(["b", "a"], _fired);
        Assert.Equal(0, _queue.Count);
    }

    [Fact]
    public void SetIfEarlierNeverPostpones()
    {
        Alarm alarm = Named("a");
        alarm.SetIfEarlier(At(20));
        alarm.SetIfEarlier(At(30));
        Assert.Equal(At(20), alarm.Due);
        alarm.SetIfEarlier(At(10));
        Assert.Equal(At(10), alarm.Due);
        Assert.Equal(1, _queue.Count);
    }

    [Fact]
    public void AnAlarmSetForNeverDoesNotFire()
    {
        Named("a").Set(Instant.Never);

        Assert.False(_queue.FireNext(Instant.Never));
        Assert.Equal(1, _queue.Count);
    }

    [Fact]
    public void ACallbackMaySetItsOwnAlarmAgain()
    {
        int times = 0;
        Alarm? alarm = null;
        alarm = new Alarm(_queue, now =>
        {
            if (++times < 3) alarm!.Set(now + TimeSpan.FromTicks(1));
        });
        alarm.Set(At(0));

        for (int tick = 0; tick < 10; tick++) FireAll(At(tick));

        Assert.Equal(3, times);
    }

    [Fact]
    public void ACallbackMayCancelTheNextAlarmAndSetAnEarlierOne()
    {
        Alarm victim = Named("victim");
        Alarm other = Named("other");
        var first = new Alarm(_queue, _ =>
        {
            victim.Cancel();
            other.Set(At(1));
        });
        first.Set(At(10));
        victim.Set(At(11));

        FireAll(At(20));

        Assert.Equal(["other"], _fired);
    }

    [Fact]
    public void TheTreeMayBeAsDeepAsItIsLong()
    {
        // Set in rising order: the tree is one long chain. Then from its deep end, and in the middle.
        const int Many = 100_000;
        var alarms = new Alarm[Many];
        for (int index = 0; index < Many; index++) (alarms[index] = new Alarm(_queue, _ => { })).Set(At(index));
        alarms[0].Set(At(Many));
        alarms[Many / 2].Cancel();

        int fired = 0;
        while (_queue.FireNext(At(Many))) fired++;

        Assert.Equal(Many - 1, fired);
    }

    [Fact]
    public void SettingCancellingAndFiringAllocateNothing()
    {
        var alarms = new Alarm[100];
        for (int index = 0; index < alarms.Length; index++) alarms[index] = new Alarm(_queue, static _ => { });
        Exercise(alarms);

        Assert.Equal(0, AllocatedBytes.Of(() => Exercise(alarms)));
    }

    [Fact]
    public void BehavesLikeASortedListUnderRandomUse()
    {
        for (ulong seed = 1; seed <= 60; seed++) CompareWithModel(seed, alarmCount: (int)(seed * 3), operations: 1500);
    }

    private static void CompareWithModel(ulong seed, int alarmCount, int operations)
    {
        var random = new SeededRandom(seed);
        var queue = new AlarmQueue();
        var model = new AlarmModel(alarmCount);
        var fired = new List<int>();
        var expected = new List<int>();
        var alarms = new Alarm[alarmCount];
        for (int index = 0; index < alarmCount; index++)
        {
            int me = index;
            alarms[index] = new Alarm(queue, now =>
            {
                fired.Add(me);

                // Some callbacks set their own alarm again, some cancel or set another: the model does the same below.
                if (me % 5 == 0) alarms[me].Set(now + TimeSpan.FromTicks(7));
                if (me % 5 == 1) alarms[(me + 1) % alarmCount].Cancel();
                if (me % 5 == 2) alarms[(me + 3) % alarmCount].Set(now);
            });
        }

        long clock = 0;
        for (int step = 0; step < operations; step++)
        {
            int which = (int)random.NextBelow((ulong)alarmCount);
            switch (random.NextBelow(4))
            {
                case 0 or 1:
                    // Few distinct instants, so that ties are common.
                    long due = clock + (long)random.NextBelow(20);
                    alarms[which].Set(new Instant(due));
                    model.Set(which, due);
                    break;
                case 2:
                    alarms[which].Cancel();
                    model.Cancel(which);
                    break;
                default:
                    clock += (long)random.NextBelow(6);
                    bool any = queue.FireNext(new Instant(clock));
                    int first = model.FireNext(clock);
                    Assert.True(any == (first >= 0), $"seed {seed} step {step}: fired or not");
                    if (first < 0) break;
                    expected.Add(first);
                    if (first % 5 == 0) model.Set(first, clock + 7);
                    if (first % 5 == 1) model.Cancel((first + 1) % alarmCount);
                    if (first % 5 == 2) model.Set((first + 3) % alarmCount, clock);
                    break;
            }
            Assert.True(
                queue.Count == model.Count, $"seed {seed} step {step}: count {queue.Count}, model {model.Count}");
            Assert.True(
                queue.NextDue.Ticks == model.NextDue,
                $"seed {seed} step {step}: next due {queue.NextDue.Ticks}, model {model.NextDue}");
        }
        Assert.True(expected.SequenceEqual(fired), $"seed {seed}: order of firing");
        Assert.True(fired.Count > operations / 20, $"seed {seed}: too little fired to prove anything");
    }

    private static void Exercise(Alarm[] alarms)
    {
        for (int round = 0; round < 20; round++)
        {
            for (int index = 0; index < alarms.Length; index++) alarms[index].Set(At((index * 37) % 101));
            for (int index = 0; index < alarms.Length; index += 3) alarms[index].Cancel();
            while (alarms[0].Queue.FireNext(At(60)))
            {
            }
        }
    }

    private static Instant At(long ticks) => new(ticks);

    private Alarm Named(string name) => new(_queue, _ => _fired.Add(name));

    private void FireAll(Instant now)
    {
        while (_queue.FireNext(now))
        {
        }
    }

    /// <summary>The obvious queue: a list kept sorted by due instant, then by order of setting.</summary>
    private sealed class AlarmModel(int count)
    {
        private readonly List<(long Due, ulong Order, int Which)> _sorted = [];
        private readonly bool[] _set = new bool[count];
        private ulong _order;

        public int Count => _sorted.Count;

        public long NextDue => _sorted.Count == 0 ? Instant.Never.Ticks : _sorted[0].Due;

        public void Set(int which, long due)
        {
            Cancel(which);
            _sorted.Add((due, _order++, which));
            _sorted.Sort();
            _set[which] = true;
        }

        public void Cancel(int which)
        {
            if (_set[which]) _sorted.RemoveAll(entry => entry.Which == which);
            _set[which] = false;
        }

        public int FireNext(long now)
        {
            if (_sorted.Count == 0 || _sorted[0].Due > now) return -1;
            int which = _sorted[0].Which;
            _sorted.RemoveAt(0);
            _set[which] = false;
            return which;
        }
    }
}
