using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Control;

namespace QuickSilver.Protocol.Tests.Flow;

public sealed class RateControlTests
{
    private const int Charge = 2000;
    private const long Buffer = 8_000_000;

    private Instant _now = new(1_000_000);

    [Fact]
    public void BeforeFeedbackTheInitialRateRules() =>
        Assert.Equal(10_000, new RateControl(new RateSettings(), 64, _now).PacketsPerSecond);

    [Fact]
    public void ATrainMayAlwaysGoAtOnce() =>
        Assert.Equal(64, new RateControl(new RateSettings { Initial = 10, Fixed = true }, 64, _now).Allowance(_now));

    [Theory]
    [InlineData(100)]
    [InlineData(1_000)]
    [InlineData(100_000)]
    public void AFixedRateIsKeptOverTimeWithWakesWhenItSays(int rate)
    {
        var control = new RateControl(new RateSettings { Initial = rate, Fixed = true }, 64, _now);
        control.Sent(control.Allowance(_now), Charge, _now);
        Instant start = _now;
        long sent = 0;
        while (_now - start < TimeSpan.FromSeconds(2))
        {
            _now = control.NextSendAt(_now);
            int allowed = control.Allowance(_now);
            Assert.True(allowed > 0, "woken for nothing");
            control.Sent(allowed, (long)allowed * Charge, _now);
            sent += allowed;
        }
        Assert.InRange(sent, rate * 2 * 0.99, (rate * 2 * 1.01) + 64);
    }

    [Fact]
    public void AFixedRateIgnoresFeedback()
    {
        var control = new RateControl(
            new RateSettings { Initial = 500, Fixed = true, Max = 100, Min = 5_000 }, 64, _now);
        Round(control, Limited(), TimeSpan.FromMilliseconds(10));
        Assert.Equal(500, control.PacketsPerSecond);
    }

    [Fact]
    public void WakesComeForAQuantumAndNotForEachCredit()
    {
        // 100,000 a second: a quarter of a millisecond earns 25.
        var control = new RateControl(new RateSettings { Initial = 100_000 }, 64, _now);
        control.Sent(control.Allowance(_now), Charge, _now);

        Instant next = control.NextSendAt(_now);
        Assert.Equal(TimeSpan.FromMicroseconds(250), next - _now);
        Assert.Equal(0, control.Allowance(_now + TimeSpan.FromMicroseconds(200)));
        Assert.Equal(25, control.Allowance(next));
    }

    [Fact]
    public void CatchingUpIsBounded()
    {
        var control = new RateControl(new RateSettings { Initial = 100_000 }, 64, _now);
        Assert.Equal(1000, control.Allowance(_now + TimeSpan.FromHours(1)));
    }

    [Fact]
    public void ALimitedSenderPacesAtAQuarterMoreThanWhatIsReadPerFeedbackInterval()
    {
        var control = new RateControl(new RateSettings(), 64, _now);
        WindowControl window = Limited();
        Round(control, window, TimeSpan.FromMilliseconds(10));

        double expected = 1.25 * window.PerInterval / Charge / 0.010;
        Assert.Equal(expected, control.PacketsPerSecond, expected * 1e-9);
    }

    [Fact]
    public void ALimitedSenderIsCutWhenFeedbackSlows()
    {
        var control = new RateControl(new RateSettings(), 64, _now);
        WindowControl window = Limited();
        Round(control, window, TimeSpan.FromMilliseconds(10));
        double before = control.PacketsPerSecond;

        for (int round = 0; round < 10; round++)
        {
            window.Sent(window.Room(_now), _now);
            Assert.False(window.CanSend(1, _now));
            Round(control, window, TimeSpan.FromMilliseconds(100));
        }

        Assert.True(control.PacketsPerSecond < before / 3);
    }

    [Fact]
    public void ASenderThatWasNotLimitedIsNeverCut()
    {
        var control = new RateControl(new RateSettings(), 64, _now);
        WindowControl window = Limited();
        Round(control, window, TimeSpan.FromMilliseconds(10));
        double before = control.PacketsPerSecond;

        for (int round = 0; round < 20; round++)
        {
            window.Sent(Charge, _now);
            control.Sent(1, Charge, _now);
            Round(control, window, TimeSpan.FromSeconds(1));
            Assert.True(control.PacketsPerSecond >= before);
        }
    }

    [Fact]
    public void TheRateStaysWithinItsLimits()
    {
        var slow = new RateControl(new RateSettings { Max = 20_000 }, 64, _now);
        Round(slow, Limited(), TimeSpan.FromMilliseconds(10));
        Assert.Equal(20_000, slow.PacketsPerSecond);

        var fast = new RateControl(new RateSettings { Min = 1_000_000 }, 64, _now);
        Round(fast, Limited(), TimeSpan.FromMilliseconds(10));
        Assert.Equal(1_000_000, fast.PacketsPerSecond);
    }

    [Fact]
    public void SmallPacketsAreWorthMorePacketsPerSecond()
    {
        var control = new RateControl(new RateSettings(), 64, _now);
        for (int train = 0; train < 100; train++) control.Sent(10, 10 * (Charge / 2), _now);
        WindowControl window = Limited();
        Round(control, window, TimeSpan.FromMilliseconds(10), sent: false);

        double expected = 1.25 * window.PerInterval / (Charge / 2) / 0.010;
        Assert.Equal(expected, control.PacketsPerSecond, expected * 1e-3);
    }

    // A window that was full when its sender asked.
    private WindowControl Limited()
    {
        var window = new WindowControl(Buffer);
        window.OnFeedback(0, 1, 0, _now);
        window.Sent(window.Room(_now), _now);
        Assert.False(window.CanSend(1, _now));
        return window;
    }

    private void Round(RateControl control, WindowControl window, TimeSpan interval, bool sent = true)
    {
        if (sent) control.Sent(1, Charge, _now);
        _now += interval;
        window.OnFeedback(window.TotalSent, 1, drops: 0, _now);
        control.OnFeedback(window, _now);
    }
}
