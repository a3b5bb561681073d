using QuickSilver.Protocol.Core;

namespace QuickSilver.Protocol.Tests.Core;

public sealed class SeededRandomTests
{
    [Fact]
    public void GivesThePublishedNumbersOfSplitMix64()
    {
        var random = new SeededRandom(1234567);

        Assert.Equal(6457827717110365317UL, random.NextUInt64());
        Assert.Equal(3203168211198807973UL, random.NextUInt64());
        Assert.Equal(9817491932198370423UL, random.NextUInt64());
    }

    [Fact]
    public void BoundedNumbersStayInBoundsAndReachBothEnds()
    {
        var random = new SeededRandom(9);
        var seen = new int[5];
        for (int draw = 0; draw < 1000; draw++) seen[random.NextBelow(5)]++;

        Assert.All(seen, count => Assert.InRange(count, 120, 280));
        Assert.Equal(0UL, random.NextBelow(0));
        Assert.Equal(0UL, random.NextBelow(1));
        Assert.Equal(TimeSpan.Zero, random.NextBelow(TimeSpan.Zero));
        Assert.Equal(TimeSpan.Zero, random.NextBelow(TimeSpan.FromTicks(-5)));
    }

    [Fact]
    public void FractionsAreBelowOne()
    {
        var random = new SeededRandom(9);
        for (int draw = 0; draw < 1000; draw++) Assert.InRange(random.NextDouble(), 0, 0.9999999999999999);
    }
}
