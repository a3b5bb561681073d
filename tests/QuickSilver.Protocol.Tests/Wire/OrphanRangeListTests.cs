using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Wire;

public class OrphanRangeListTests
{
    private const int Span = 200;

    /// <summary>Does what members do to a list, in random order.</summary>
    internal static void Fill(SeededRandom random, OrphanRangeList list, int members)
    {
        for (ulong left = random.NextBelow(20); left > 0; left--)
        {
            ulong start = 1 + random.NextBelow(Span);
            list.Want(start, start + 1 + random.NextBelow(10));
            if (random.NextBelow(5) == 0) list.BeginRound();
            if (list.Count == 0 || random.NextBelow(2) == 0) continue;
            OrphanRange range = list[(int)random.NextBelow((ulong)list.Count)];
            int index = 0;
            while (list[index] != range) index++;
            ulong from = range.Start + random.NextBelow(range.End - range.Start);
            list.Assign(
                index, from, from + 1 + random.NextBelow(range.End - from),
                (int)random.NextBelow((ulong)members + 2) - 2);
        }
        list.Trim();
    }

    [Fact]
    public void WhatIsWantedAndWhoHoldsItAgreesWithANaiveModel()
    {
        for (ulong seed = 1; seed <= 500; seed++)
        {
            var random = new SeededRandom(seed);
            var list = new OrphanRangeList();
            var wanted = new HashSet<ulong>();
            var holders = new Dictionary<ulong, int>();
            for (int turn = 0; turn < 30; turn++)
            {
                ulong start = 1 + random.NextBelow(Span);
                ulong end = start + 1 + random.NextBelow(10);
                list.Want(start, end);
                for (ulong sequence = start; sequence < end; sequence++) wanted.Add(sequence);
                int index = (int)random.NextBelow((ulong)list.Count);
                OrphanRange range = list[index];
                ulong from = range.Start + random.NextBelow(range.End - range.Start);
                int at = list.Assign(index, from, from + 1, turn);
                Assert.Equal((from, from + 1, turn), (list[at].Start, list[at].End, list[at].Holder));
                holders[from] = turn;
            }
            list.Trim();
            for (ulong sequence = 1; sequence < list.Covered && sequence < Span + 20; sequence++)
            {
                bool isListed = Enumerable.Range(0, list.Count)
                    .Any(index => list[index].Start <= sequence && sequence < list[index].End);
                Assert.True(wanted.Contains(sequence) == isListed, $"seed {seed}: {sequence}");
                int holder = list.HolderOf(sequence, out ulong until);
                Assert.True(
                    holder == holders.GetValueOrDefault(sequence, OrphanRange.Unknown) && until > sequence,
                    $"seed {seed}: {sequence}");
            }
            Assert.InRange(list.Count, 1, OrphanRangeList.MaxRanges);
        }
    }

    [Fact]
    public void TheListIsCutShortFromAboveAndSaysSo()
    {
        var list = new OrphanRangeList();
        for (ulong sequence = 400; sequence > 0; sequence -= 2) list.Want(sequence, sequence + 1);

        Assert.Equal((OrphanRangeList.MaxRanges, 130UL, false), (list.Count, list.Covered, list.IsComplete));
        list.Want(300, 310);
        Assert.Equal(OrphanRangeList.MaxRanges, list.Count);
        list.BeginRound();
        Assert.True(list.IsComplete);
    }

    [Fact]
    public void WhatNobodyWantsAnyMoreGoesAndWhatIsNewIsNotOld()
    {
        var list = new OrphanRangeList();
        list.Want(10, 20);
        list.BeginRound();
        list.Want(15, 25);
        Assert.Equal(
            [(10UL, 15UL, false, true), (15UL, 20UL, true, true), (20UL, 25UL, true, false)],
            Enumerable.Range(0, list.Count)
                .Select(index => (list[index].Start, list[index].End, list[index].IsWanted, list[index].IsOld)));

        list.DropUnwanted();
        Assert.Equal((2, 15UL), (list.Count, list[0].Start));
    }
}
