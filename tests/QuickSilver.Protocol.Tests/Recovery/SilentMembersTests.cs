using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Recovery.Ring;

namespace QuickSilver.Protocol.Tests.Recovery;

public sealed class SilentMembersTests
{
    // A round that waits for thirty silent members in turn takes longer than a finding used to hold: none was ever made
    // twice in time.
    [Theory]
    [InlineData(500, true)]
    [InlineData(3000, true)]
    [InlineData(9000, true)]
    [InlineData(16000, false)]
    public void TwoHopsInARowAreAFindingHoweverLongARoundTakes(int roundMilliseconds, bool isFinding)
    {
        TimeSpan round = TimeSpan.FromMilliseconds(roundMilliseconds);
        var world = new RingWorld(3);
        var book = new SilentMembers(3);
        book.OnRound(At(TimeSpan.Zero));
        for (int rounds = 1; rounds <= 3; rounds++)
        {
            book.OnRound(At(round * rounds));
            book.OnUnanswered(1, At(round * rounds));
        }
        SilentMember[] expected = isFinding
            ? [new SilentMember(world.View.Members[1].Number.Key, round * 2, true)] : [];
        Assert.Equal(expected, Collect(book, world, At((round * 4) - TimeSpan.FromMilliseconds(1))));

        book.OnAnswered(1);
        Assert.Empty(Collect(book, world, At(round * 4)));
    }

    [Fact]
    public void TheTimeInWhichNothingWasUnstableIsNoRounds()
    {
        var world = new RingWorld(3);
        var book = new SilentMembers(3);
        TimeSpan later = TimeSpan.FromSeconds(8);
        book.OnRound(At(TimeSpan.Zero));
        book.OnUnanswered(1, At(TimeSpan.Zero));
        book.OnBegun();
        book.OnRound(At(later));
        book.OnUnanswered(1, At(later));
        Assert.Empty(Collect(book, world, At(later)));
    }

    private static Instant At(TimeSpan time) => Instant.Zero + TimeSpan.FromSeconds(1) + time;

    private static List<SilentMember> Collect(SilentMembers book, RingWorld world, Instant now)
    {
        var observed = new NodeObservations();
        book.Collect(world.View, observed, now);
        return observed.Silent;
    }
}
