using QuickSilver.Protocol.Core;

namespace QuickSilver.Protocol.Tests.Core;

public sealed class InstantTests
{
    [Fact]
    public void AddingSaturatesAtNever()
    {
        Assert.Equal(Instant.Never, new Instant(5) + TimeSpan.MaxValue);
        Assert.Equal(Instant.Never, Instant.Never + TimeSpan.FromTicks(1));
        Assert.Equal(new Instant(7), new Instant(5) + TimeSpan.FromTicks(2));
    }

    [Fact]
    public void DifferencesAndOrderAgree()
    {
        var early = new Instant(10);
        var late = new Instant(25);

        Assert.Equal(TimeSpan.FromTicks(15), late - early);
        Assert.Equal(early, late - TimeSpan.FromTicks(15));
        Assert.True(early < late && late > early && early <= late && late >= early);
        Assert.True(early.CompareTo(late) < 0);
    }
}
