using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Wire;

public sealed class TokenRangeListTests
{
    [Fact]
    public void IntersectionAgreesWithSetsBelowWhatBothCover()
    {
        for (ulong seed = 1; seed <= 500; seed++)
        {
            var random = new SeededRandom(seed);
            TokenRangeList mine = Random(random), theirs = Random(random);
            HashSet<ulong> expected = [.. Places(mine)];
            expected.IntersectWith(Places(theirs));
            ulong covered = Math.Min(mine.Covered, theirs.Covered);
            expected.RemoveWhere(place => place >= covered);

            mine.IntersectWith(theirs, new TokenRangeList());

            Assert.True(mine.Covered <= covered, $"seed {seed}");
            expected.RemoveWhere(place => place >= mine.Covered);
            Assert.True(expected.SetEquals(Places(mine)), $"seed {seed}");
        }
    }

    [Fact]
    public void AFullListCoversOnlyWhatItHolds()
    {
        var list = new TokenRangeList { Covered = 1000 };
        for (ulong index = 0; index < TokenRangeList.MaxRanges; index++) Assert.True(list.Add(new TokenRange((index * 3) + 1, (index * 3) + 2, false)));
        Assert.False(list.Add(new TokenRange(500, 501, false)));
        Assert.Equal(500UL, list.Covered);
    }

    [Fact]
    public void RoundTrips()
    {
        var random = new SeededRandom(3);
        for (int round = 0; round < 200; round++)
        {
            TokenRangeList list = Random(random);
            var bytes = new byte[1000];
            var writer = new WireWriter(bytes);
            list.WriteTo(ref writer);
            var read = new TokenRangeList();
            var reader = new WireReader(bytes.AsSpan(0, writer.Written));
            read.ReadFrom(ref reader);
            Assert.True(reader.IsAtEnd);
            Assert.Equal(list.Covered, read.Covered);
            Assert.Equal(list.Ranges, read.Ranges);
        }
    }

    private static TokenRangeList Random(SeededRandom random)
    {
        var list = new TokenRangeList { Covered = 1 + random.NextBelow(200) };
        ulong place = 1;
        ulong count = random.NextBelow(TokenRangeList.MaxRanges);
        for (ulong index = 0; index < count; index++)
        {
            place += 1 + random.NextBelow(8);
            ulong end = place + 1 + random.NextBelow(6);
            if (end > list.Covered) break;
            list.Add(new TokenRange(place, end, random.NextBelow(2) == 0));
            place = end;
        }
        return list;
    }

    private static IEnumerable<ulong> Places(TokenRangeList list)
    {
        var places = new List<ulong>();
        foreach (TokenRange range in list.Ranges)
        {
            for (ulong place = range.Start; place < range.End; place++) places.Add(place);
        }
        return places;
    }
}
