using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Recovery.Reception;

namespace QuickSilver.Protocol.Tests.Recovery;

public class ReceptionWindowTests
{
    [Fact]
    public void InOrderMarksAreContiguous()
    {
        var window = new ReceptionWindow();
        for (ulong sequence = 1; sequence <= 1000; sequence++) Assert.Equal(MarkOutcome.New, window.TryMark(sequence));

        Assert.Equal(1000UL, window.Contiguous);
        Assert.Equal(1000UL, window.Highest);
    }

    [Fact]
    public void AGapHoldsContiguousBackUntilItIsFilled()
    {
        var window = new ReceptionWindow();
        window.TryMark(1);
        for (ulong sequence = 3; sequence <= 300; sequence++) window.TryMark(sequence);
        Assert.Equal(1UL, window.Contiguous);
        Assert.Equal(299UL, window.Marked);

        Assert.Equal(MarkOutcome.New, window.TryMark(2));

        Assert.Equal(300UL, window.Contiguous);
        Assert.Equal(300UL, window.Marked);
    }

    [Fact]
    public void ASecondMarkIsADuplicateBelowAndAboveTheGap()
    {
        var window = new ReceptionWindow();
        window.TryMark(1);
        window.TryMark(5);

        Assert.Equal(MarkOutcome.Duplicate, window.TryMark(1));
        Assert.Equal(MarkOutcome.Duplicate, window.TryMark(5));
        Assert.Equal(MarkOutcome.Duplicate, window.TryMark(0));
    }

    [Fact]
    public void SequencesBeyondTheCapAreRefusedAndChangeNothing()
    {
        var window = new ReceptionWindow(maxBits: 256);
        window.TryMark(1);

        Assert.Equal(MarkOutcome.New, window.TryMark(1 + 192));
        Assert.Equal(MarkOutcome.BeyondWindow, window.TryMark(1 + 193));
        Assert.Equal(MarkOutcome.BeyondWindow, window.TryMark(ulong.MaxValue));
        Assert.Equal(193UL, window.Highest);
        Assert.Equal(2UL, window.Marked);
        Assert.True(window.Reaches(193));
        Assert.False(window.Reaches(194));
    }

    [Fact]
    public void GrowthKeepsWhatWasMarked()
    {
        var window = new ReceptionWindow();
        for (ulong sequence = 2; sequence <= 180; sequence += 2) window.TryMark(sequence);
        window.TryMark(100_000);

        for (ulong sequence = 1; sequence <= 180; sequence++)
            Assert.Equal(sequence % 2 == 0, window.Contains(sequence));
        Assert.True(window.Contains(100_000));
        Assert.Equal(91UL, window.Marked);
    }

    [Theory]
    [InlineData(255)]
    [InlineData(0)]
    [InlineData(1000)]
    public void RefusesACapThatIsNoPowerOfTwoOrTooSmall(int bits) =>
        Assert.ThrowsAny<ArgumentException>(() => new ReceptionWindow(bits));

    [Fact]
    public void AbandonmentFarAboveTheHighestLeavesACleanWindow()
    {
        var window = new ReceptionWindow(maxBits: 256);
        for (ulong sequence = 2; sequence <= 190; sequence += 3) window.TryMark(sequence);
        window.AdvanceTo(1_000_001);

        Assert.Equal(1_000_000UL, window.Contiguous);
        Assert.Equal(1_000_000UL, window.Marked);
        for (ulong sequence = 1_000_001; sequence < 1_000_192; sequence++) Assert.False(window.Contains(sequence));
        Assert.Equal(MarkOutcome.New, window.TryMark(1_000_001));
        Assert.Equal(1_000_001UL, window.Contiguous);
    }

    [Fact]
    public void AgreesWithAHashSetUnderRandomMarks()
    {
        for (ulong seed = 1; seed <= 60; seed++)
        {
            var random = new SeededRandom(seed);
            int bits = 256 << (int)random.NextBelow(3);
            var window = new ReceptionWindow(bits);
            var model = new Model(bits - 64);
            for (int step = 0; step < 500; step++)
            {
                Change(random, window, model, $"seed {seed}, step {step}");
                if (step % 10 == 0) AssertAgrees(random, window, model, $"seed {seed}, step {step}");
            }
        }
    }

    [Fact]
    public void MarkingAndAskingAllocateNothingOnceTheBitmapHasGrown()
    {
        var window = new ReceptionWindow();
        ulong first = 1;
        void Churn()
        {
            for (ulong sequence = first; sequence < first + 500; sequence += 2) window.TryMark(sequence);
            window.ContiguousIn(2, 3);
            for (ulong sequence = first; sequence < first + 400; sequence++) window.TryMark(sequence);
            window.AdvanceTo(first += 500);
        }
        Churn();

        Assert.Equal(0, AllocatedBytes.Of(Churn));
        Assert.Equal(first - 1, window.Contiguous);
    }

    private static void Change(SeededRandom random, ReceptionWindow window, Model model, string where)
    {
        ulong sequence;
        switch (random.NextBelow(40))
        {
            case < 20:
                sequence = model.Contiguous + 1;
                break;
            case < 37:
                sequence = model.Contiguous + random.NextBelow(40);
                break;
            case < 39:
                sequence = model.Contiguous + random.NextBelow(1200);
                break;
            default:
                sequence = model.Contiguous + random.NextBelow(random.NextBelow(10) == 0 ? 3000UL : 100);
                window.AdvanceTo(sequence);
                model.AdvanceTo(sequence);
                return;
        }
        MarkOutcome expected = model.Mark(sequence);
        Assert.True(expected == window.TryMark(sequence), $"{where}: {sequence} should be {expected}");
    }

    private static void AssertAgrees(SeededRandom random, ReceptionWindow window, Model model, string where)
    {
        Assert.True(
            model.Contiguous == window.Contiguous, $"{where}: contiguous {window.Contiguous}, not {model.Contiguous}");
        Assert.True(model.Highest == window.Highest, $"{where}: highest {window.Highest}, not {model.Highest}");
        Assert.True(
            (ulong)model.Marked.Count == window.Marked, $"{where}: {window.Marked} marked, not {model.Marked.Count}");

        ulong from = model.Contiguous + random.NextBelow(60);
        ulong below = from + random.NextBelow(400);
        for (ulong sequence = from; sequence < below; sequence++)
            Assert.True(model.Has(sequence) == window.Contains(sequence), $"{where}: {sequence}");

        int count = 1 + (int)random.NextBelow(5);
        AssertPartitionsAgree(window, model, count, where);
    }

    private static void AssertPartitionsAgree(ReceptionWindow window, Model model, int count, string where)
    {
        ulong least = ulong.MaxValue;
        for (int partition = 0; partition < count; partition++)
        {
            ulong next = (ulong)partition + 1;
            while (model.Has(next)) next += (ulong)count;
            Assert.True(
                next - 1 == window.ContiguousIn(partition, count), $"{where}: contiguous in {partition} of {count}");
            Assert.Equal(next - 1, window.ContiguousIn(partition, count));
            least = Math.Min(least, next - 1);
        }
        Assert.Equal(window.Contiguous, least);
    }

    private sealed class Model(int reach)
    {
        public HashSet<ulong> Marked { get; } = [];

        public ulong Contiguous { get; private set; }

        public ulong Highest { get; private set; }

        public bool Has(ulong sequence) => sequence == 0 || Marked.Contains(sequence);

        public MarkOutcome Mark(ulong sequence)
        {
            if (Has(sequence)) return MarkOutcome.Duplicate;
            if (sequence > Contiguous + (ulong)reach) return MarkOutcome.BeyondWindow;
            Marked.Add(sequence);
            Settle(sequence);
            return MarkOutcome.New;
        }

        public void AdvanceTo(ulong sequence)
        {
            for (ulong below = 1; below < sequence; below++) Marked.Add(below);
            if (sequence > 0) Settle(sequence - 1);
        }

        private void Settle(ulong sequence)
        {
            Highest = Math.Max(Highest, sequence);
            while (Marked.Contains(Contiguous + 1)) Contiguous++;
        }
    }
}
