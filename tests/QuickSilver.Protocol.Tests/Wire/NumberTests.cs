using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Wire;

/// <summary>The numbers that the membership server gives out.</summary>
public class NumberTests
{
    private static readonly Epoch[] Epochs = [new(0, 0), new(1, 5), new(1, 9), new(2, 0), new(ulong.MaxValue, 1)];

    [Fact]
    public void AllNumbersAreOrderedByEpochThenCounter()
    {
        AssertOrder(
            (epoch, counter) => new StepNumber(epoch, counter), (a, b) => [a < b, b < a, a <= b, a >= b, a > b]);
        AssertOrder(
            (epoch, counter) => new ViewNumber(epoch, counter), (a, b) => [a < b, b < a, a <= b, a >= b, a > b]);
        AssertOrder(
            (epoch, counter) => new NodeNumber(epoch, counter), (a, b) => [a < b, b < a, a <= b, a >= b, a > b]);
        AssertOrder((epoch, counter) => new GroupId(epoch, counter), (a, b) => [a < b, b < a, a <= b, a >= b, a > b]);
        AssertOrder((epoch, counter) => new RegionId(epoch, counter), (a, b) => [a < b, b < a, a <= b, a >= b, a > b]);
        AssertOrder((epoch, _) => epoch, (a, b) => [a < b, b < a, a <= b, a >= b, a > b]);
        AssertOrder((epoch, counter) => new NetEndpoint((uint)epoch.Term ^ (uint)epoch.Server, (ushort)counter), null);
    }

    [Fact]
    public void OnlyCounterZeroIsNone()
    {
        Assert.True(default(StepNumber).IsNone && default(ViewNumber).IsNone && default(NodeNumber).IsNone);
        Assert.True(default(GroupId).IsNone && default(RegionId).IsNone);
        Assert.True(default(NetEndpoint).IsNone);
        Assert.False(new StepNumber(default, 1).IsNone);
        Assert.False(new NetEndpoint(0, 1).IsNone);
    }

    [Fact]
    public void KeysOfNodesDifferAcrossTermsAndCounters()
    {
        var keys = new HashSet<ulong>();
        for (ulong term = 1; term <= 50; term++)
        {
            for (uint counter = 1; counter <= 50; counter++)
                Assert.True(keys.Add(new NodeNumber(new Epoch(term, 3), counter).Key));
        }
    }

    [Fact]
    public void TagsOfViewsDifferAcrossServersTermsAndCounters()
    {
        var tags = new HashSet<uint>();
        for (ulong server = 1; server <= 10; server++)
        {
            for (ulong term = 1; term <= 10; term++)
            {
                for (uint counter = 1; counter <= 10; counter++)
                    Assert.True(tags.Add(new ViewNumber(new Epoch(term, server), counter).Tag));
            }
        }
    }

    [Fact]
    public void EndpointsAndRangesReadWell()
    {
        Assert.Equal("127.0.0.1:15000", new NetEndpoint(0x7F000001, 15000).ToString());
        Assert.Equal("[3,7)", new SequenceRange(3, 7).ToString());
        Assert.Equal("4/9", new StepNumber(new Epoch(4, 1), 9).ToString());
    }

    [Fact]
    public void RangesAreHalfOpen()
    {
        var range = new SequenceRange(3, 7);

        Assert.Equal(4UL, range.Count);
        Assert.True(range.Contains(3) && range.Contains(6));
        Assert.False(range.Contains(2) || range.Contains(7));
        Assert.True(new SequenceRange(3, 3).IsEmpty);
    }

    private static void AssertOrder<T>(Func<Epoch, uint, T> make, Func<T, T, bool[]>? operators)
        where T : IComparable<T>
    {
        T[] ascending = [
            .. Epochs.SelectMany(
                epoch => new uint[] { 0, 1, 2, ushort.MaxValue }.Select(counter => make(epoch, counter))).Distinct()];
        if (operators is null) ascending = [.. ascending.Order()];
        for (int left = 0; left < ascending.Length; left++)
        {
            for (int right = 0; right < ascending.Length; right++)
            {
                T a = ascending[left], b = ascending[right];
                Assert.Equal(left.CompareTo(right), Math.Sign(a.CompareTo(b)));
                if (operators is not null)
                    Assert.Equal(
                        [left < right, right < left, left <= right, left >= right, left > right], operators(a, b));
            }
        }
    }
}
