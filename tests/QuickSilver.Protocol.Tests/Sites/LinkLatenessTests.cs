using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Sites.Links;

namespace QuickSilver.Protocol.Tests.Sites;

/// <summary>Packets that overtake each other are waited for, and packets that are lost are asked for soon.</summary>
public class LinkLatenessTests
{
    private static readonly LinkRoundTrip RoundTrip = Measured(Ms(20));

    private static TimeSpan Ms(double milliseconds) => TimeSpan.FromMilliseconds(milliseconds);

    [Fact]
    public void AnEndThatHasSeenALatePacketWaitsForTheNext()
    {
        LinkPair pair = LinkPair.Up();
        pair.Late = static (_, bytes) => LinkPair.NumberOf(bytes) % 10 == 5 ? Ms(9) : TimeSpan.Zero;
        Send(pair, 10);
        Assert.Equal([5UL], AskedFor(pair));
        pair.Second.Sent.Clear();
        Send(pair, 60);
        Assert.Empty(AskedFor(pair));
        Assert.Equal(1UL, pair.First.Link.Counters.Resent);
        Assert.Equal(70, pair.Second.Records.Count);
    }

    [Fact]
    public void AHoleThatIsFilledBeforeAnAnswerCanComeWasLateAndLaterOnesWaitSoLong()
    {
        var holes = new LinkHoles(new LinkSettings(), RoundTrip);
        var start = new Instant(1_000_000);
        holes.Open(1, 2, start, areDue: false);
        Assert.Equal(start, holes.NextDue(4));
        Assert.Equal(1, holes.TakeDue(4, start, new Protocol.Wire.SequenceRange[4], out _));
        holes.Close(1, start + Ms(12));
        Assert.Equal(Ms(12), holes.Lateness);
        holes.Open(5, 6, start + Ms(20), areDue: false);
        Assert.Equal(start + Ms(32), holes.NextDue(9));
    }

    [Fact]
    public void EachAnswerShortensTheWaitAndNoneIsLongerThanARoundTrip()
    {
        var holes = new LinkHoles(new LinkSettings(), RoundTrip);
        var start = new Instant(1_000_000);
        holes.Open(1, 2, start, areDue: false);
        holes.Close(1, start + Ms(500));
        Assert.Equal(Ms(20), holes.Lateness);
        holes.Open(3, 4, start, areDue: false);
        Assert.Equal(0, holes.TakeDue(9, start + Ms(19), new Protocol.Wire.SequenceRange[4], out _));
        Assert.Equal(1, holes.TakeDue(9, start + Ms(20), new Protocol.Wire.SequenceRange[4], out _));
        holes.Close(3, start + Ms(45));
        Assert.Equal(Ms(20) - (Ms(20) / 16), holes.Lateness);
    }

    [Fact]
    public void TheEndOfAStreamIsAskedForWithoutAWait()
    {
        var holes = new LinkHoles(new LinkSettings(), RoundTrip);
        var start = new Instant(1_000_000);
        holes.Open(1, 2, start, areDue: false);
        holes.Close(1, start + Ms(15));
        holes.Open(2, 3, start + Ms(30), areDue: true);
        Assert.Equal(start + Ms(30), holes.NextDue(2));
    }

    private static void Send(LinkPair pair, int records)
    {
        for (int record = 0; record < records; record++)
        {
            pair.First.Offer((byte)record);
            pair.RunFor(Ms(1));
        }
        pair.RunFor(Ms(100));
    }

    private static ulong[] AskedFor(LinkPair pair) =>
        [.. pair.Second.Sent.SelectMany(static one => LinkPair.NacksOf(one.Bytes))];

    private static LinkRoundTrip Measured(TimeSpan time)
    {
        var measured = new LinkRoundTrip(time);
        measured.Add(time, new Instant(1));
        return measured;
    }
}
