using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Membership.Server;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Membership;

public sealed class RegionCalculatorTests
{
    [Fact]
    public void RegionsAndNeighboursAreThoseOfANaiveModel()
    {
        for (ulong seed = 1; seed <= 20; seed++)
        {
            var random = new SeededRandom(seed);
            var calculator = new RegionCalculator();
            ServerNode[] nodes = MakeNodes(12);
            var sets = nodes.ToDictionary(node => node, _ => new SortedSet<uint>());
            int groups = 1 + (int)random.NextBelow(9);
            for (int batch = 0; batch < 25; batch++)
            {
                Dictionary<string, string> before = Signatures(sets);
                Dictionary<string, string[]> neighboursBefore = Neighbours(sets);
                calculator.Begin();
                foreach (ServerNode node in nodes)
                {
                    if (random.NextBelow(3) != 0) continue;
                    SortedSet<uint> set = [.. sets[node]];
                    for (int change = (int)random.NextBelow(4); change >= 0; change--)
                    {
                        uint group = 1 + (uint)random.NextBelow((ulong)groups);
                        if (!set.Remove(group)) set.Add(group);
                    }
                    if (set.SetEquals(sets[node])) continue;
                    sets[node] = set;
                    calculator.Move(node, [.. set]);
                }
                calculator.End();
                string context = $"seed {seed} batch {batch}";
                Dictionary<string, string> after = Signatures(sets);
                Dictionary<string, string[]> neighboursAfter = Neighbours(sets);
                Assert.True(after.Count == calculator.InhabitedCount, context);
                foreach (ServerNode node in nodes)
                {
                    Assert.True(sets[node].SequenceEqual(node.Groups), context);
                    if (node.Region is not { } region) continue;
                    Assert.True(region == calculator.Find(node.Groups), context);
                    Assert.True(
                        region.Population == sets.Values.Count(set => set.SequenceEqual(region.Groups)), context);
                    Assert.Equal(
                        neighboursAfter[Key(region)], region.Neighbours.Select(Key).Order(StringComparer.Ordinal));
                    Assert.True(
                        region.Neighbours.Select(neighbour => neighbour.Number)
                            .SequenceEqual(region.Neighbours.Select(neighbour => neighbour.Number).Order()),
                        context);
                }

                // Touched are the regions whose members differ from before.
                string[] touched = [
                    .. before.Keys.Union(after.Keys)
                    .Where(key => before.GetValueOrDefault(key) != after.GetValueOrDefault(key))];
                Assert.Equal(
                    touched.Order(StringComparer.Ordinal),
                    calculator.Touched.Select(Key).Order(StringComparer.Ordinal));

                // Concerned are those that live on and see one of them, before or after.
                IEnumerable<string> concerned = after.Keys.Where(key => touched.Any(other => Overlaps(key, other)));
                Assert.Equal(
                    concerned.Order(StringComparer.Ordinal),
                    calculator.Concerned().Select(Key).Order(StringComparer.Ordinal));
                foreach (ServerRegion region in calculator.Touched)
                {
                    IEnumerable<string> expected = neighboursBefore.GetValueOrDefault(Key(region), []);
                    Assert.Equal(
                        expected, calculator.NeighboursBefore(region).Select(Key).Order(StringComparer.Ordinal));
                    if (region.Population == 0 && random.NextBelow(2) == 0) calculator.Forget(region);
                }
            }
        }
    }

    [Fact]
    public void RegionKeepsItsNumberUntilItIsForgotten()
    {
        var calculator = new RegionCalculator();
        ServerNode node = MakeNodes(1)[0];
        Move(calculator, node, [1, 2]);
        ServerRegion first = node.Region!;
        Move(calculator, node, []);
        Move(calculator, node, [1, 2]);
        Assert.Same(first, node.Region);
        Move(calculator, node, [3]);
        calculator.Forget(first);
        Move(calculator, node, [1, 2]);
        Assert.NotEqual(first.Number, node.Region!.Number);
    }

    [Fact]
    public void OriginIsTheRegionOfTheFirstNode()
    {
        var calculator = new RegionCalculator();
        ServerNode[] nodes = MakeNodes(2);
        Move(calculator, nodes[0], [1, 2]);
        ServerRegion origin = nodes[0].Region!;
        Assert.Null(origin.Origin);
        Move(calculator, nodes[0], [1, 2, 3]);
        Move(calculator, nodes[1], [1, 2, 3]);
        Assert.Same(origin, nodes[1].Region!.Origin);
    }

    private static void Move(RegionCalculator calculator, ServerNode node, uint[] groups)
    {
        calculator.Begin();
        calculator.Move(node, groups);
        calculator.End();
    }

    internal static ServerNode[] MakeNodes(int count) => [.. Enumerable.Range(0, count).Select(index =>
        new ServerNode(
            new NodeInfo(
                new NodeNumber(new Epoch(1, 1), (uint)index + 1), $"n{index}", 1, new NetEndpoint(1, 1),
                new NetEndpoint(1, 2), 1),
            index))];

    private static string Key(ServerRegion region) => string.Join(',', region.Groups);

    private static Dictionary<string, string> Signatures(Dictionary<ServerNode, SortedSet<uint>> sets) => sets
        .Where(pair => pair.Value.Count > 0)
        .GroupBy(pair => string.Join(',', pair.Value))
        .ToDictionary(
            region => region.Key,
            region => string.Join(' ', region.Select(pair => pair.Key.Info.Number.Counter).Order()));

    private static Dictionary<string, string[]> Neighbours(Dictionary<ServerNode, SortedSet<uint>> sets)
    {
        string[] all = [.. Signatures(sets).Keys.Order(StringComparer.Ordinal)];
        return all.ToDictionary(key => key, key => all.Where(other => Overlaps(key, other)).ToArray());
    }

    private static bool Overlaps(string a, string b) => a.Split(',').Intersect(b.Split(',')).Any();
}
