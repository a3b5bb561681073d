using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Lateral;

namespace QuickSilver.Protocol.Tests.Lateral;

public sealed class BinPlanTests
{
    // Figure 7: a5 b1 c5 ab2 ac3 bc7 abc10, so |A| = 20, |B| = 20, |C| = 25; c is 5, 4 and 3.
    private static readonly (int[] Groups, int Count)[] Figure7 =
        [([0], 5), ([1], 1), ([2], 5), ([0, 1], 2), ([0, 2], 3), ([1, 2], 7), ([0, 1, 2], 10)];

    [Theory]
    [InlineData("012", "012", 1.2)]
    [InlineData("01", "01", 0.4)]
    [InlineData("01", "012", 0.8)]
    [InlineData("02", "02", 0.36)]
    [InlineData("12", "12", 0.84)]
    [InlineData("0", "0", 1.25)]
    [InlineData("0", "01", 0.1)]
    [InlineData("0", "02", 0.39)]
    [InlineData("0", "012", 0.5)]
    [InlineData("1", "1", 0.2)]
    [InlineData("1", "12", 0.56)]
    [InlineData("2", "2", 0.6)]
    public void Figure7ComesOutAsPrinted(string bin, string region, double targets) =>
        Assert.Equal(targets, Targets(Make(), bin, region), 9);

    [Fact]
    public void Figure7HasTheseTwelveNumbersAndNoOther()
    {
        List<BinPlan.Bin> bins = Make();
        Assert.Equal(12, bins.Sum(static bin => bin.Targets.Count));
        // The listing printed in the paper would send packets of C to region ab.
        Assert.All(bins, static bin => Assert.All(bin.Targets, target => Assert.Subset(
            Figure7[target.Region].Groups.ToHashSet(), bin.Groups.ToHashSet())));
    }

    [Fact]
    public void EachPacketGoesToAsManyNodesAsItsGroupsRateSays()
    {
        List<BinPlan.Bin> bins = Make();
        Assert.Equal([5.0, 4.0, 3.0], Enumerable.Range(0, 3).Select(group => Math.Round(TotalOf(bins, group), 9)));
    }

    [Fact]
    public void OnRandomViewsEachPacketGoesToTheRateOrToAllOthersIfTheyAreFewer()
    {
        for (ulong seed = 1; seed <= 300; seed++)
        {
            var random = new SeededRandom(seed);
            int groups = 1 + (int)random.NextBelow(12);
            var regions = new List<(int[] Groups, int Count)>();
            int[] sizes = new int[groups];
            for (int region = (int)random.NextBelow(20); region >= 0; region--)
            {
                int[] shared = [.. Enumerable.Range(0, groups).Where(_ => random.NextDouble() < 0.4)];
                if (shared.Length == 0 || regions.Exists(known => known.Groups.SequenceEqual(shared))) continue;
                int count = 1 + (int)random.NextBelow(6);
                regions.Add((shared, count));
                foreach (int group in shared) sizes[group] += count;
            }
            double[] rates = [.. Enumerable.Range(0, groups).Select(_ => random.NextDouble() * 8)];
            List<BinPlan.Bin> bins = BinPlan.Make(sizes, rates, regions);

            for (int group = 0; group < groups; group++)
                Assert.Equal(Math.Min(rates[group], sizes[group]), TotalOf(bins, group), 6);
            foreach (BinPlan.Bin bin in bins)
            {
                foreach ((int region, double mean) in bin.Targets)
                {
                    Assert.Subset(regions[region].Groups.ToHashSet(), bin.Groups.ToHashSet());
                    Assert.InRange(mean, 0, regions[region].Count + 1e-9);
                }
            }
            Assert.Equal(bins.Count, bins.Select(static bin => string.Join(',', bin.Groups)).Distinct().Count());
        }
    }

    private static List<BinPlan.Bin> Make() => BinPlan.Make([20, 20, 25], [5, 4, 3], Figure7);

    private static double TotalOf(List<BinPlan.Bin> bins, int group) =>
        bins.Where(bin => bin.Groups.Contains(group)).Sum(static bin => bin.Targets.Sum(static t => t.Mean));

    private static double Targets(List<BinPlan.Bin> bins, string bin, string region) => bins
        .Single(one => string.Concat(one.Groups) == bin).Targets
        .Single(target => string.Concat(Figure7[target.Region].Groups) == region).Mean;
}
