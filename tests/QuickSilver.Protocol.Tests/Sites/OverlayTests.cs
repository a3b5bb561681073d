using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Sites;
using QuickSilver.Protocol.Sites.Overlay;

namespace QuickSilver.Protocol.Tests.Sites;

/// <summary>Source trees: the same at every gateway, whatever order it learns of links in.</summary>
public class OverlayTests
{
    private static readonly string[] Names = ["Mae East", "UCSB", "OSU", "Rutgers", "CNDS", "Hopkins"];

    // Costs that stand for those of Figure 1: the tree's links are the short ways, all others are dear.
    private static readonly (string, string)[] Tree =
        [("Mae East", "UCSB"), ("Mae East", "OSU"), ("Mae East", "Rutgers"), ("Mae East", "CNDS"), ("CNDS", "Hopkins")];

    [Fact]
    public void TreesDoNotDependOnTheOrderOfTheInput()
    {
        var random = new SeededRandom(7);
        for (int round = 0; round < 200; round++)
        {
            int sites = 2 + (int)random.NextBelow(10);
            OverlayEdge[] edges = [.. from first in Enumerable.Range(0, sites)
                                      from second in Enumerable.Range(0, sites)
                                      where first < second && random.NextBelow(2) == 0
                                      select new OverlayEdge(first, second, 1 + (uint)random.NextBelow(3))];
            OverlayEdge[] other = [.. edges];
            for (int index = other.Length - 1; index > 0; index--)
            {
                int with = (int)random.NextBelow((ulong)index + 1);
                (other[index], other[with]) = (other[with], other[index]);
            }
            var one = new Topology(sites, 1, edges);
            var two = new Topology(sites, 1, other);
            Assert.Equal(one.Version, two.Version);
            for (int root = 0; root < sites; root++)
            {
                for (int site = 0; site < sites; site++)
                    Assert.Equal(one.TreeOf(root).ParentOf(site), two.TreeOf(root).ParentOf(site));
            }
        }
    }

    [Fact]
    public void AConfigurationInAnotherOrderIsTheSame()
    {
        SiteLink[] links = [.. Tree.Select(static link => new SiteLink(link.Item1, link.Item2, 5))];
        var one = new SiteMap(Names, links);
        var two = new SiteMap(
            Names.Reverse(), links.Reverse().Select(static link => new SiteLink(link.Second, link.First, link.Cost)));
        Assert.Equal(one.Hash, two.Hash);
        Assert.All(Names, name => Assert.Equal(one.IndexOf(name), two.IndexOf(name)));
        Assert.NotEqual(one.Hash, new SiteMap(Names, links.Skip(1)).Hash);
    }

    [Fact]
    public void EqualWeightsGiveAFanOut()
    {
        Topology topology = Complete(static (_, _) => 10);
        for (int root = 0; root < Names.Length; root++)
            Assert.Equal(Names.Length - 1, topology.TreeOf(root).ChildrenOf(root).Length);
    }

    [Fact]
    public void TheWeightsOfFigureOneGiveItsTree()
    {
        var map = new SiteMap(Names, []);
        Topology topology = Complete((first, second) => Tree.Any(
            link => (map.IndexOf(link.Item1), map.IndexOf(link.Item2)) is (int a, int b)
                && ((a, b) == (first, second) || (b, a) == (first, second))) ? 10u : 100u);
        for (int root = 0; root < Names.Length; root++)
        {
            SourceTree tree = topology.TreeOf(root);
            Assert.Equal(map.All, tree.Sites);
            for (int site = 0; site < Names.Length; site++)
            {
                if (site == root) continue;
                (string, string) used = (map.NameOf(tree.ParentOf(site)), map.NameOf(site));
                Assert.True(Tree.Contains(used) || Tree.Contains((used.Item2, used.Item1)), $"{used}");
            }
        }
    }

    [Fact]
    public void TiesGoToFewerLinksThenToTheLowerSite()
    {
        // 0 to 3: over 1 or 2 at equal cost, or directly at the same.
        var direct = new Topology(4, 1, [new(0, 1, 1), new(0, 2, 1), new(1, 3, 1), new(2, 3, 1), new(0, 3, 2)]);
        Assert.Equal(0, direct.TreeOf(0).ParentOf(3));
        var over = new Topology(4, 1, [new(0, 1, 1), new(0, 2, 1), new(1, 3, 1), new(2, 3, 1)]);
        Assert.Equal(1, over.TreeOf(0).ParentOf(3));
    }

    [Fact]
    public void SitesThatCannotBeReachedAreInNoTree()
    {
        var topology = new Topology(4, 1, [new(0, 1, 1), new(2, 3, 1)]);
        Assert.Equal(SiteSet.Of(0).With(1), topology.TreeOf(0).Sites);
        Assert.True(topology.TreeOf(0).Below(2).IsEmpty);
    }

    [Fact]
    public void ACostChangesAfterItHasDifferedForAWhile()
    {
        var cost = new MeasuredCost();
        cost.Begin(TimeSpan.FromMilliseconds(40));
        Assert.Equal(20_000u, cost.Told);
        Instant now = new(10_000_000);
        Assert.False(cost.Update(TimeSpan.FromMilliseconds(60), now));
        Assert.False(cost.Update(TimeSpan.FromMilliseconds(42), now + TimeSpan.FromSeconds(4)));
        Assert.False(cost.Update(TimeSpan.FromMilliseconds(60), now + TimeSpan.FromSeconds(6)));
        Assert.False(cost.Update(TimeSpan.FromMilliseconds(60), now + TimeSpan.FromSeconds(10)));
        Assert.True(cost.Update(TimeSpan.FromMilliseconds(60), now + TimeSpan.FromSeconds(11)));
        Assert.Equal(30_000u, cost.Told);
    }

    [Fact]
    public void AConfigurationThatMakesNoSenseIsRefused()
    {
        string[] two = ["a", "b"];
        Assert.Throws<ArgumentException>(() => new SiteMap([], []));
        Assert.Throws<ArgumentException>(() => new SiteMap(["a", "a"], []));
        Assert.Throws<ArgumentException>(() => new SiteMap(["a", ""], []));
        Assert.Throws<ArgumentException>(() => new SiteMap(two, [new("a", "c")]));
        Assert.Throws<ArgumentException>(() => new SiteMap(two, [new("a", "a")]));
        Assert.Throws<ArgumentException>(() => new SiteMap(two, [new("a", "b"), new("b", "a")]));
        Assert.Throws<ArgumentException>(
            () => new SiteMap(Enumerable.Range(0, 129).Select(static site => $"site {site}"), []));
    }

    private static Topology Complete(Func<int, int, uint> cost) => new(
        Names.Length, 1,
        from first in Enumerable.Range(0, Names.Length)
        from second in Enumerable.Range(0, Names.Length)
        where first < second
        select new OverlayEdge(first, second, cost(first, second)));
}
