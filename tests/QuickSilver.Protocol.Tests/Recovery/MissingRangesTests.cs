using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Recovery.Reception;

namespace QuickSilver.Protocol.Tests.Recovery;

public sealed class MissingRangesTests
{
    private static readonly Instant Start = new(100);
    private static readonly TimeSpan Patience = TimeSpan.FromMilliseconds(20);

    [Fact]
    public void AgreesWithASetOfSequences()
    {
        for (ulong seed = 1; seed <= 200; seed++)
        {
            var random = new SeededRandom(seed);
            var missing = new MissingRanges();
            var model = new SortedSet<ulong>();
            ulong top = 1;
            for (int step = 0; step < 300; step++)
            {
                switch (random.NextBelow(3))
                {
                    case 0:
                        top += random.NextBelow(5);
                        ulong end = top + 1 + random.NextBelow(10);
                        missing.AddGap(top, end, Start + TimeSpan.FromTicks(step));
                        for (ulong sequence = top; sequence < end; sequence++) model.Add(sequence);
                        top = end;
                        break;
                    case 1 when missing.Count > 0 && missing[0].End - missing[0].Start > 1:
                        missing.Split(0, missing[0].Start + 1);
                        break;
                    default:
                        ulong filled = random.NextBelow(top + 2);
                        Assert.True(missing.Fill(filled, out _) == model.Remove(filled), $"seed {seed}, step {step}");
                        break;
                }
                Assert.True((ulong)model.Count == missing.Sequences, $"seed {seed}, step {step}");
            }
            Assert.True(model.SequenceEqual(Sequences(missing)), $"seed {seed}");
        }
    }

    [Fact]
    public void ASplitRunKeepsItsState()
    {
        var missing = new MissingRanges();
        missing.AddGap(10, 20, Start);
        missing[0] = missing[0] with { Attempts = 2 };
        Assert.True(missing.Fill(15, out MissingRange run));
        Assert.Equal(new MissingRange(10, 20, Start, 2), run);
        Assert.Equal(new MissingRange(10, 15, Start, 2), missing[0]);
        Assert.Equal(new MissingRange(16, 20, Start, 2), missing[1]);
    }

    [Fact]
    public void ARunIsAwaitedForItsPatienceOnly()
    {
        var run = new MissingRange(1, 2, Start, 1);
        Assert.True(run.IsAwaited(Start + Patience - TimeSpan.FromTicks(1), Patience));
        Assert.False(run.IsAwaited(Start + Patience, Patience));
        Assert.False((run with { Attempts = 0 }).IsAwaited(Start, Patience));
    }

    private static IEnumerable<ulong> Sequences(MissingRanges missing)
    {
        for (int index = 0; index < missing.Count; index++)
        {
            for (ulong sequence = missing[index].Start; sequence < missing[index].End; sequence++)
                yield return sequence;
        }
    }
}
