using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Wire;

public class TokenRangeListTests
{
    private const ulong Places = 100;

    [Fact]
    public void AFullListCoversOnlyWhatItTells()
    {
        var list = new TokenRangeList { Covered = 1000 };
        for (ulong place = 1; place <= TokenRangeList.MaxRanges; place++)
            Assert.True(list.Add(new TokenRange(2 * place, (2 * place) + 1, false)));

        Assert.False(list.Add(new TokenRange(500, 600, false)));
        Assert.Equal(500UL, list.Covered);
        Assert.Equal(TokenRangeList.MaxRanges, list.Count);
    }

    [Fact]
    public void IntersectionsAgreeWithSetsOfPlacesBelowWhatIsCovered()
    {
        var scratch = new TokenRangeList();
        for (ulong seed = 1; seed <= 300; seed++)
        {
            var random = new SeededRandom(seed);
            (TokenRangeList mine, Dictionary<ulong, bool> myPlaces) = Make(random);
            (TokenRangeList theirs, Dictionary<ulong, bool> theirPlaces) = Make(random);
            ulong covered = Math.Min(mine.Covered, theirs.Covered);

            mine.IntersectWith(theirs, scratch);

            Assert.True(mine.Covered <= covered, $"seed {seed}");
            Assert.True(
                mine.Covered == covered || mine.Count == TokenRangeList.MaxRanges,
                $"seed {seed}: coverage lost without need");
            for (ulong place = 1; place < mine.Covered; place++)
            {
                bool missing = myPlaces.ContainsKey(place) && theirPlaces.ContainsKey(place);
                TokenRange? range = RangeOf(mine, place);
                Assert.True(missing == range is not null, $"seed {seed}: place {place}");
                if (range is not { } found) continue;
                Assert.True(
                    found.Requested == (myPlaces[place] && theirPlaces[place]),
                    $"seed {seed}: place {place} requested");
            }
        }
    }

    [Fact]
    public void ListsRoundTrip()
    {
        for (ulong seed = 1; seed <= 200; seed++)
        {
            (TokenRangeList list, _) = Make(new SeededRandom(seed));
            var bytes = new byte[1000];
            var writer = new WireWriter(bytes);
            list.WriteTo(ref writer);
            var reader = new WireReader(bytes.AsSpan(0, writer.Written));
            var read = new TokenRangeList();
            read.ReadFrom(ref reader);

            Assert.True(reader.IsAtEnd, $"seed {seed}");
            Assert.Equal(list.Covered, read.Covered);
            Assert.Equal(list.Ranges.ToArray(), read.Ranges.ToArray());
        }
    }

    [Theory]
    [InlineData("0A 15", "21 ranges")]
    [InlineData("0A 01 00 01", "an empty range that is requested")]
    [InlineData("0A 01 00", "half a range")]
    [InlineData("0A 01 FFFFFFFFFFFFFFFFFF01 02", "a start beyond the numbers")]
    [InlineData("0A 01 FEFFFFFFFFFFFFFFFF01 02", "an end beyond the numbers")]
    public void AListThatBreaksItsFormatFailsTheReader(string hex, string why)
    {
        var reader = new WireReader(Convert.FromHexString(hex.Replace(" ", "", StringComparison.Ordinal)));
        new TokenRangeList().ReadFrom(ref reader);

        Assert.True(reader.Failed, why);
    }

    private static (TokenRangeList List, Dictionary<ulong, bool> Missing) Make(SeededRandom random)
    {
        var list = new TokenRangeList { Covered = 1 + random.NextBelow(Places) };
        var missing = new Dictionary<ulong, bool>();
        ulong next = 1 + random.NextBelow(8);
        while (next < list.Covered)
        {
            ulong end = Math.Min(next + 1 + random.NextBelow(random.NextBelow(8) + 1), list.Covered);
            bool requested = random.NextBelow(2) == 0;
            if (!list.Add(new TokenRange(next, end, requested))) break;
            for (ulong place = next; place < end; place++) missing[place] = requested;
            next = end + random.NextBelow(4);
        }
        return (list, missing);
    }

    private static TokenRange? RangeOf(TokenRangeList list, ulong place)
    {
        foreach (TokenRange range in list.Ranges)
        {
            if (range.Start <= place && place < range.End) return range;
        }
        return null;
    }
}
