using QuickSilver.Loop;
using QuickSilver.Protocol.Core;

namespace QuickSilver.Tests.Loop;

/// <summary>When a core that has run out of work lets others run, and when it sleeps at once.</summary>
public sealed class SleepDelayTests
{
    private readonly FakeSleeper _completions = new();
    private readonly SetClock _clock = new();
    private readonly SleepDelay _delay;

    public SleepDelayTests() => _delay = new SleepDelay(_completions, _clock);

    [Fact]
    public void A_core_that_read_nothing_or_little_sleeps_at_once()
    {
        Assert.False(Look(afterBytes: 0));
        Assert.False(Look(afterBytes: 1_000));
        Assert.False(Look(afterBytes: 16_383));
    }

    [Fact]
    public void Calls_and_streams_are_looked_for_again_and_lone_datagrams_are_not()
    {
        Assert.False(_delay.ChecksAgain(requests: 0));
        Assert.True(_delay.ChecksAgain(requests: 1));
        Assert.False(_delay.ChecksAgain(requests: 1));
        _completions.BytesRead += 1_000;
        Assert.False(_delay.ChecksAgain(requests: 1));
        _completions.BytesRead += 65_000;
        Assert.True(_delay.ChecksAgain(requests: 1));
        Assert.True(Look(afterBytes: 0));
        Assert.False(_delay.ChecksAgain(requests: 1));
    }

    [Fact]
    public void A_stream_lets_others_run_once_before_each_sleep()
    {
        Assert.True(Look(afterBytes: 16_384));
        Assert.False(Look(afterBytes: 0));
        Assert.True(Look(afterBytes: 65_000));
        Assert.False(Look(afterBytes: 0));
    }

    [Fact]
    public void Little_by_little_is_no_stream()
    {
        for (int look = 0; look < 100; look++) Assert.False(Look(afterBytes: 1_000));
    }

    [Fact]
    public void After_a_long_yield_none_follows_for_a_while()
    {
        Assert.True(Look(afterBytes: 65_000, yieldTakes: TimeSpan.FromMilliseconds(3)));
        Assert.False(Look(afterBytes: 65_000));
        _clock.Now += TimeSpan.FromMilliseconds(9);
        Assert.False(Look(afterBytes: 65_000));
        _clock.Now += TimeSpan.FromMilliseconds(1);
        Assert.True(Look(afterBytes: 65_000));
        Assert.True(Look(afterBytes: 65_000));
    }

    private bool Look(int afterBytes, TimeSpan yieldTakes = default)
    {
        _completions.BytesRead += (ulong)afterBytes;
        Instant now = _clock.Now;
        _clock.Now = now + yieldTakes;
        return _delay.TryYield(now);
    }

    private sealed class SetClock : IClock
    {
        public Instant Now { get; set; } = Instant.Zero + TimeSpan.FromSeconds(1);
    }
}
