using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Recovery.Reception;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Recovery;

public class IntervalSetTests
{
    private const ulong Domain = 120;

    [Fact]
    public void IsEmptyAtFirst()
    {
        var set = new IntervalSet();

        Assert.True(set.IsEmpty);
        Assert.Equal(0UL, set.Total);
        Assert.False(set.Contains(1));
        Assert.Equal(7UL, set.FirstMissingFrom(7));
    }

    [Fact]
    public void JoinsRunsThatTouch()
    {
        var set = new IntervalSet();
        set.Add(new SequenceRange(1, 3));
        set.Add(new SequenceRange(5, 8));
        set.Add(new SequenceRange(3, 5));

        Assert.Equal([new SequenceRange(1, 8)], set.AsSpan().ToArray());
    }

    [Fact]
    public void SplitsARunWhenItsMiddleIsRemoved()
    {
        var set = new IntervalSet();
        set.Add(new SequenceRange(1, 10));
        set.Remove(5);

        Assert.Equal([new SequenceRange(1, 5), new SequenceRange(6, 10)], set.AsSpan().ToArray());
        Assert.Equal(8UL, set.Total);
    }

    [Fact]
    public void HoldsNumbersAtBothEndsOfTheirType()
    {
        var set = new IntervalSet();
        set.Add(new SequenceRange(0, 2));
        set.Add(new SequenceRange(ulong.MaxValue - 1, ulong.MaxValue));

        Assert.True(set.Contains(0));
        Assert.True(set.Contains(ulong.MaxValue - 1));
        Assert.False(set.Contains(ulong.MaxValue));
        Assert.Equal(ulong.MaxValue, set.FirstMissingFrom(ulong.MaxValue - 1));
        Assert.Equal(ulong.MaxValue, set.FirstMissingFrom(ulong.MaxValue));
    }

    [Fact]
    public void RefusesAnIndexThatIsNotThere()
    {
        var set = new IntervalSet();
        set.Add(1);
        set.Clear();

        Assert.Throws<ArgumentOutOfRangeException>(() => set[0]);
        Assert.Throws<ArgumentOutOfRangeException>(() => set[-1]);
    }

    [Fact]
    public void CopiesTheLowestRunsThatFit()
    {
        var set = new IntervalSet();
        for (ulong number = 1; number < 10; number += 2) set.Add(number);
        var copy = new SequenceRange[2];

        Assert.Equal(2, set.CopyTo(copy));
        Assert.Equal([new SequenceRange(1, 2), new SequenceRange(3, 4)], copy);
    }

    [Fact]
    public void AgreesWithASortedSetUnderRandomChanges()
    {
        for (ulong seed = 1; seed <= 150; seed++)
        {
            var random = new SeededRandom(seed);
            var set = new IntervalSet();
            var model = new SortedSet<ulong>();
            for (int step = 0; step < 120; step++)
            {
                Change(random, set, model);
                AssertAgrees(set, model, $"seed {seed}, step {step}");
            }
        }
    }

    [Fact]
    public void ChangesAllocateNothingOnceTheArrayHasGrown()
    {
        var set = new IntervalSet();
        SequenceRange[] others = [new(1, 400), new(600, 900)];
        void Churn()
        {
            for (ulong number = 1; number < 1000; number += 2) set.Add(number);
            for (ulong number = 1; number < 1000; number += 4) set.Remove(number);
            set.IntersectWith(others);
            set.Add(new SequenceRange(1, 2000));
            set.Clear();
        }
        Churn();
        Churn();

        Assert.Equal(0, AllocatedBytes.Of(Churn));
    }

    private static void Change(SeededRandom random, IntervalSet set, SortedSet<ulong> model)
    {
        ulong start = random.NextBelow(Domain);
        var range = new SequenceRange(start, start + random.NextBelow(12));
        switch (random.NextBelow(20))
        {
            case < 10:
                set.Add(range);
                for (ulong number = range.Start; number < range.End; number++) model.Add(number);
                break;
            case < 17:
                set.Remove(range);
                model.RemoveWhere(range.Contains);
                break;
            case < 19:
                var others = new List<SequenceRange>();
                ulong end = 0;
                while (end < Domain)
                {
                    // A gap of 0 makes runs that touch, which the argument may have.
                    ulong from = end + random.NextBelow(20);
                    end = from + 1 + random.NextBelow(30);
                    others.Add(new SequenceRange(from, end));
                }
                set.IntersectWith(others.ToArray());
                model.RemoveWhere(number => !others.Exists(other => other.Contains(number)));
                break;
            default:
                set.Clear();
                model.Clear();
                break;
        }
    }

    private static void AssertAgrees(IntervalSet set, SortedSet<ulong> model, string where)
    {
        var numbers = new List<ulong>();
        for (int index = 0; index < set.Count; index++)
        {
            SequenceRange run = set[index];
            Assert.False(run.IsEmpty, where);
            Assert.True(index == 0 || set[index - 1].End < run.Start, $"{where}: runs touch or are out of order");
            for (ulong number = run.Start; number < run.End; number++) numbers.Add(number);
        }
        Assert.True(
            model.SequenceEqual(numbers),
            $"{where}: {string.Join(' ', set.AsSpan().ToArray())} against {string.Join(' ', model)}");
        Assert.Equal((ulong)model.Count, set.Total);
        for (ulong number = 0; number < Domain + 15; number++)
        {
            Assert.True(model.Contains(number) == set.Contains(number), $"{where}: {number}");
            ulong missing = number;
            while (model.Contains(missing)) missing++;
            Assert.True(missing == set.FirstMissingFrom(number), $"{where}: first missing from {number}");
            int from = set.IndexFrom(number);
            Assert.True(
                from == set.Count ? model.Count == 0 || model.Max < number : set[from].End > number,
                $"{where}: index from {number}");
            Assert.True(from == 0 || set[from - 1].End <= number, $"{where}: index from {number} is too high");
        }
    }
}
