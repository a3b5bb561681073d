using QuickSilver.Protocol.Core;
using QuickSilver.Testing.Scheduling;

namespace QuickSilver.Simulation.Tests.Scheduling;

public class EventQueueTests
{
    [Fact]
    public void EventsHappenInOrderOfTimeLikeASortedList()
    {
        for (ulong seed = 1; seed <= 50; seed++)
        {
            var random = new SeededRandom(seed);
            var recorder = new Recorder();
            EventQueue queue = Make(seed);
            var expected = new List<long>();
            for (int count = 0; count < 300; count++)
            {
                long due = (long)random.NextBelow(1000);
                expected.Add(due);
                queue.Schedule(new Instant(due), recorder, null, due);
            }
            while (queue.RunNext(Instant.Never)) { }
            expected.Sort();
            Assert.True(expected.SequenceEqual(recorder.Values), $"seed {seed}");
        }
    }

    [Fact]
    public void EventsScheduledFromEventsInterleaveWithThoseThatWereThere()
    {
        EventQueue queue = Make(1);
        var recorder = new Recorder();
        recorder.OnValue = value =>
        {
            if (value == 10) queue.Schedule(new Instant(15), recorder, null, 15);
        };
        foreach (long due in new long[] { 20, 10, 30 }) queue.Schedule(new Instant(due), recorder, null, due);
        while (queue.RunNext(Instant.Never)) { }
        Assert.Equal([10, 15, 20, 30], recorder.Values);
    }

    [Fact]
    public void SimultaneousEventsKeepOneOrderPerSeedAndDifferBetweenSeeds()
    {
        string First(ulong seed)
        {
            EventQueue queue = Make(seed);
            var recorder = new Recorder();
            for (int value = 0; value < 20; value++) queue.Schedule(new Instant(5), recorder, null, value);
            while (queue.RunNext(Instant.Never)) { }
            return string.Join(',', recorder.Values);
        }

        Assert.Equal(First(7), First(7));
        Assert.NotEqual(First(7), First(8));
    }

    [Fact]
    public void AnEventInThePastHappensNow()
    {
        EventQueue queue = Make(1);
        var recorder = new Recorder();
        queue.Schedule(new Instant(100), recorder, null, 1);
        queue.RunNext(Instant.Never);
        queue.Schedule(new Instant(50), recorder, null, 2);
        queue.RunNext(Instant.Never);
        Assert.Equal(new Instant(100), recorder.LastAt);
    }

    [Fact]
    public void NothingHappensBeyondTheLimitAndTheClockStandsStill()
    {
        var clock = new VirtualClock();
        var queue = new EventQueue(clock, new SimulationRandom(1));
        queue.Schedule(new Instant(100), new Recorder());
        Assert.False(queue.RunNext(new Instant(99)));
        Assert.Equal(Instant.Zero, clock.Now);
        Assert.True(queue.RunNext(new Instant(100)));
        Assert.Equal(new Instant(100), clock.Now);
    }

    [Fact]
    public void AnEventThatRearmsItselfForNowIsFoundOut()
    {
        var clock = new VirtualClock();
        var queue = new EventQueue(clock, new SimulationRandom(1), spinLimit: 100);
        var recorder = new Recorder();
        recorder.OnValue = _ => queue.Schedule(clock.Now, recorder);
        queue.Schedule(Instant.Zero, recorder);
        Assert.Throws<SimulationSpinException>(() =>
        {
            while (queue.RunNext(Instant.Never)) { }
        });
        Assert.True(recorder.Values.Count <= 100);
    }

    private static EventQueue Make(ulong seed) => new(new VirtualClock(), new SimulationRandom(seed));

    private sealed class Recorder : IEventTarget
    {
        public List<long> Values { get; } = [];

        public Instant LastAt { get; private set; }

        public Action<long>? OnValue { get; set; }

        public void OnEvent(object? argument, long value, Instant now)
        {
            Values.Add(value);
            LastAt = now;
            OnValue?.Invoke(value);
        }
    }
}
