using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Lateral;

namespace QuickSilver.Protocol.Tests.Lateral;

/// <summary>What a session has of a sender: done and missing numbers, against a plain model.</summary>
public sealed class ReceptionTests
{
    private static readonly MissingMessage Template = LateralSearch.NewMissing(new Instant(1), null, TimeSpan.Zero);

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public void DoneAndMissingAreThoseOfThePlainModel(ulong seed)
    {
        var random = new SeededRandom(seed);
        var reception = new Reception(null!, null!);
        var done = new SortedSet<ulong>();
        ulong high = 100;
        reception.NotePlace(high, high, isFirst: true, Template);
        reception.SetDone(high);
        done.Add(high);
        for (int turn = 0; turn < 3_000; turn++)
        {
            ulong number = random.NextBelow(3) == 0
                ? high + 1 + random.NextBelow(40)
                : 100 + random.NextBelow(high - 99);
            high = Math.Max(high, number);
            reception.NoteExists(number, Template);
            reception.SetDone(number);
            done.Add(number);
        }

        for (ulong number = 100; number <= high; number++)
        {
            Assert.Equal(done.Contains(number), reception.IsDone(number));
            Assert.Equal(!done.Contains(number), reception.Missing.Find(number) >= 0);
        }
        Assert.Equal((int)(high - 99) - done.Count, reception.Missing.Count);
        Assert.Equal(FirstGap(done), reception.Next);
    }

    [Fact]
    public void ASessionThatBeginsFurtherBackKeepsWhatIsDone()
    {
        var reception = new Reception(null!, null!);
        reception.NotePlace(500, 500, isFirst: false, Template);
        reception.SetDone(500);
        reception.NotePlace(502, 500, isFirst: false, Template);
        reception.SetDone(502);
        Assert.Equal(499UL, reception.Next);
        reception.NotePlace(499, 400, isFirst: true, Template);
        reception.SetDone(499);

        Assert.Equal((400UL, 400UL), (reception.Low, reception.Next));
        Assert.True(reception.IsDone(499) && reception.IsDone(500) && reception.IsDone(502));
        Assert.False(reception.IsDone(498) || reception.IsDone(501));
        Assert.Equal(100, reception.Missing.Count);
        Assert.Equal((400UL, 501UL), (reception.Missing[0].Number, reception.Missing[99].Number));
    }

    [Fact]
    public void WhatIsBehindTheReachIsSkipped()
    {
        var reception = new Reception(null!, null!);
        reception.NotePlace(1, 1, isFirst: true, Template);
        reception.SetDone(1);
        Assert.True(reception.Reaches(1 + Reception.MostOpen));
        Assert.False(reception.Reaches(2 + Reception.MostOpen));
        reception.NoteExists(20, Template);
        reception.SkipTo(11);

        Assert.Equal(11UL, reception.Next);
        Assert.Equal((10, 11UL), (reception.Missing.Count, reception.Missing[0].Number));
        Assert.True(reception.Reaches(10 + Reception.MostOpen));
    }

    private static ulong FirstGap(SortedSet<ulong> done)
    {
        ulong next = 100;
        while (done.Contains(next)) next++;
        return next;
    }
}
