using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;
using QuickSilver.Runtime;

namespace QuickSilver.Tests.Runtime;

public sealed class ReturnPauseTests
{
    private static readonly TimeSpan Period = TimeSpan.FromSeconds(10);

    [Fact]
    public void Who_is_found_out_of_reach_again_and_again_stays_away_longer_each_time()
    {
        var pause = new ReturnPause(Period);
        Instant now = new(TimeSpan.TicksPerSecond);
        var seconds = new List<double>();
        for (int time = 0; time < 9; time++)
        {
            TimeSpan next = pause.Next(MembershipRefusal.Unreachable, now);
            seconds.Add(next.TotalSeconds);
            now += next + (2 * Period);
        }
        Assert.Equal([0, 10, 20, 40, 80, 160, 320, 320, 320], seconds);
    }

    [Fact]
    public void A_stay_that_has_lasted_begins_the_count_anew()
    {
        var pause = new ReturnPause(Period);
        Instant now = new(TimeSpan.TicksPerSecond);
        pause.Next(MembershipRefusal.Unreachable, now);
        Assert.Equal(Period, pause.Next(MembershipRefusal.Unreachable, now += Period));
        Assert.Equal(TimeSpan.Zero, pause.Next(MembershipRefusal.Unreachable, now + TimeSpan.FromMinutes(2)));
    }

    [Fact]
    public void Other_reasons_and_no_detector_are_no_cause_to_wait()
    {
        var pause = new ReturnPause(Period);
        Instant now = new(TimeSpan.TicksPerSecond);
        for (int time = 0; time < 3; time++) Assert.Equal(TimeSpan.Zero, pause.Next(MembershipRefusal.Removed, now));
        var none = new ReturnPause(Timeout.InfiniteTimeSpan);
        for (int time = 0; time < 3; time++) Assert.Equal(TimeSpan.Zero, none.Next(MembershipRefusal.Unreachable, now));
    }
}
