using QuickSilver.Protocol.Core;
using QuickSilver.Runtime;

namespace QuickSilver.Tests.Runtime;

/// <summary>All disposes of a node share the time that they may wait for members.</summary>
public sealed class DrainClockTests
{
    private static readonly TimeSpan Full = TimeSpan.FromSeconds(5);
    private static readonly TimeSpan Moment = TimeSpan.FromMilliseconds(100);

    private readonly SetClock _clock = new();
    private readonly DrainClock _drains;

    public DrainClockTests() => _drains = new DrainClock(Full, _clock);

    [Fact]
    public void Handles_that_are_disposed_of_one_after_the_other_take_about_as_long_as_one()
    {
        TimeSpan all = TimeSpan.Zero;
        for (int handle = 0; handle < 4; handle++)
        {
            TimeSpan limit = _drains.Begin();
            _clock.Now += limit; // in vain
            _drains.End();
            all += limit;
        }
        Assert.Equal(Full + (3 * Moment), all);
    }

    [Fact]
    public void Handles_that_are_disposed_of_at_the_same_time_use_the_time_once()
    {
        Assert.Equal(Full, _drains.Begin());
        _clock.Now += TimeSpan.FromSeconds(2);
        Assert.Equal(TimeSpan.FromSeconds(3), _drains.Begin());
        _clock.Now += TimeSpan.FromSeconds(1);
        _drains.End();
        _drains.End();
        Assert.Equal(TimeSpan.FromSeconds(2), _drains.Begin());
    }

    [Fact]
    public void The_time_comes_back_while_nothing_is_disposed_of()
    {
        TimeSpan limit = _drains.Begin();
        _clock.Now += limit;
        _drains.End();
        _clock.Now += TimeSpan.FromSeconds(2);
        Assert.Equal(TimeSpan.FromSeconds(2), _drains.Begin());
        _drains.End();
        _clock.Now += TimeSpan.FromHours(1);
        Assert.Equal(Full, _drains.Begin());
    }

    [Fact]
    public async Task A_drain_that_has_ended_is_told_from_one_that_has_not()
    {
        Assert.True(await _drains.WaitAsync(Task.CompletedTask));
        Assert.True(await _drains.WaitAsync(Task.FromException(new InvalidOperationException("of the drain"))));
        var none = new DrainClock(TimeSpan.Zero, _clock);
        Assert.False(await none.WaitAsync(new TaskCompletionSource().Task));
    }

    private sealed class SetClock : IClock
    {
        public Instant Now { get; set; }
    }
}
