using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership.Server;
using QuickSilver.Protocol.Probing;

namespace QuickSilver.Protocol.Tests.Membership;

public sealed class RegionMergerTests
{
    [Fact]
    public void MergesAreThoseOfANaiveModel()
    {
        int merged = 0;
        for (ulong seed = 1; seed <= 60; seed++)
        {
            var random = new SeededRandom(seed);
            var settings = new MembershipServerSettings
            {
                MaxRegions = 1 + (int)random.NextBelow(6),
                MaxMulticastRegions = 1 + (int)random.NextBelow(4),
            };
            var world = new MergedWorld(settings, 12);
            var model = new NaiveMerger(settings);
            int groups = 2 + (int)random.NextBelow(8);
            for (int batch = 0; batch < 30; batch++)
            {
                world.Begin();
                foreach (ServerNode node in world.Nodes)
                {
                    if (random.NextBelow(4) != 0) continue;
                    uint[] target = [
                        .. Enumerable.Range(1, groups).Select(group => (uint)group)
                            .Where(_ => random.NextBelow(3) == 0)];
                    if (target.AsSpan().SequenceEqual(node.Groups)) continue;
                    model.Move(node.Slot, target);
                    world.Move(node, target);
                }
                world.End();
                model.Plan();
                string context = $"seed {seed} batch {batch}";
                foreach (ServerNode node in world.Nodes)
                    Assert.True(model.CarrierOf(node.Slot).SequenceEqual(node.Region?.Groups ?? []), context);
                Assert.True(world.Regions.InhabitedCount <= settings.MaxRegions, context);
                merged += world.Merger.MergedCount;
            }
        }
        Assert.True(merged > 100);
    }

    [Fact]
    public void RegionsAreExactBelowTheBudgetAndAgainWhenThereIsRoom()
    {
        var world = new MergedWorld(new MembershipServerSettings { MaxRegions = 4 }, 6);
        for (uint index = 0; index < 6; index++)
        {
            world.Begin();
            world.Move(world.Nodes[index], [index + 1, 100]);
            world.End();
            Assert.Equal(index < 4 ? 0 : 1, Math.Min(1, world.Merger.MergedCount));
        }
        Assert.Equal(4, world.Regions.InhabitedCount);
        for (int index = 5; index >= 3; index--)
        {
            world.Begin();
            world.Move(world.Nodes[index], []);
            world.End();
        }
        world.Begin();
        world.End();
        Assert.Equal((3, 0), (world.Regions.InhabitedCount, world.Merger.MergedCount));
        Assert.All(world.Nodes[..3], node => Assert.Same(node.Home, node.Region));
    }

    [Fact]
    public void WorkOfAStepIsBoundedAndTheNextStepsGoOn()
    {
        const int nodes = 600;
        const int groups = 400;
        var random = new SeededRandom(5);
        var world = new MergedWorld(new MembershipServerSettings { MaxRegions = 560 }, nodes);
        world.Begin();
        foreach (ServerNode node in world.Nodes)
        {
            world.Move(
                node,
                [.. Enumerable.Range(1, groups).Select(group => (uint)group).Where(_ => random.NextBelow(2) == 0)]);
        }
        world.End();
        int steps = 1;
        for (; world.Merger.IsBehind; steps++)
        {
            // One row of looks more than the bound: the groups of all regions, and as often those of the one.
            Assert.InRange(world.Merger.Looks, 1, RegionMerger.MaxLooks + (2 * nodes * groups));
            world.Begin();
            world.End();
        }
        Assert.InRange(steps, 2, 41);
        Assert.Equal(560, world.Regions.InhabitedCount);
    }

    // Follows the rules with lists, and computes all of it each time.
    private sealed class NaiveMerger(MembershipServerSettings settings)
    {
        private readonly Dictionary<int, uint[]> _sets = [];
        private readonly List<List<uint[]>> _bundles = [];
        private readonly Dictionary<List<uint[]>, uint[]> _lastUnion = [];

        public void Move(int node, uint[] target)
        {
            List<uint[]>? from = null;
            if (_sets.Remove(node, out uint[]? former))
            {
                from = Bundle(former);
                if (!_sets.Values.Any(set => set.SequenceEqual(former)))
                    from.RemoveAll(set => set.SequenceEqual(former));
            }
            if (target.Length == 0) return;
            bool isNew = !_sets.Values.Any(set => set.SequenceEqual(target));
            _sets[node] = target;
            if (!isNew) return;
            if (from is { Count: > 0 } && target.All(_lastUnion.GetValueOrDefault(from, []).Contains)) from.Add(target);
            else _bundles.Add([target]);
        }

        public void Plan()
        {
            _bundles.RemoveAll(bundle => bundle.Count == 0);
            bool isExact = Several(_bundles) <= settings.MaxMulticastRegions && _bundles.Count <= settings.MaxRegions;
            while (_bundles.Count > settings.MaxRegions || Several(_bundles) > settings.MaxMulticastRegions)
            {
                bool amongSeveral = _bundles.Count <= settings.MaxRegions;
                List<uint[]>? into = null;
                List<uint[]> gone = [];
                (double PerCopy, long Filtered) price = (double.MaxValue, 0);
                for (int a = 0; a < _bundles.Count; a++)
                {
                    for (int b = a + 1; b < _bundles.Count; b++)
                    {
                        if (amongSeveral && (Population(_bundles[a]) < 2 || Population(_bundles[b]) < 2)) continue;
                        uint[] one = Union(_bundles[a]);
                        uint[] other = Union(_bundles[b]);
                        long filtered = ((long)one.Except(other).Count() * Population(_bundles[b]))
                            + ((long)other.Except(one).Count() * Population(_bundles[a]));
                        int saved = one.Intersect(other).Count();
                        var here = (saved == 0 ? double.PositiveInfinity : (double)filtered / saved, filtered);
                        if (into is not null && here.CompareTo(price) >= 0) continue;
                        price = here;
                        (into, gone) = (_bundles[a], _bundles[b]);
                    }
                }
                into!.AddRange(gone);
                _bundles.Remove(gone);
            }
            if (isExact) TakeApart();
            _lastUnion.Clear();
            foreach (List<uint[]> bundle in _bundles) _lastUnion[bundle] = Union(bundle);
        }

        public uint[] CarrierOf(int node) => _sets.TryGetValue(node, out uint[]? set) ? Union(Bundle(set)) : [];

        private static uint[] Union(List<uint[]> bundle) => [.. bundle.SelectMany(set => set).Distinct().Order()];

        private List<uint[]> Bundle(uint[] set) => _bundles.Single(bundle => bundle.Exists(set.SequenceEqual));

        private int Population(uint[] set) => _sets.Values.Count(set.SequenceEqual);

        private int Population(List<uint[]> bundle) => bundle.Sum(Population);

        private int Several(IEnumerable<List<uint[]>> bundles) => bundles.Count(bundle => Population(bundle) > 1);

        private void TakeApart()
        {
            int regions = settings.MaxRegions - (settings.MaxRegions / 4);
            int several = settings.MaxMulticastRegions - (settings.MaxMulticastRegions / 4);
            List<uint[]>? worst = _bundles
                .Where(bundle => bundle.Count > 1 && _bundles.Count + bundle.Count - 1 <= regions)
                .Where(bundle => Several(_bundles) - 1 + bundle.Count(set => Population(set) > 1) <= several)
                .MaxBy(bundle => bundle.Sum(set => (long)Population(set) * (Union(bundle).Length - set.Length)));
            if (worst is null) return;
            foreach (uint[] set in worst.Skip(1)) _bundles.Add([set]);
            worst.RemoveRange(1, worst.Count - 1);
        }
    }

    private sealed class MergedWorld
    {
        private readonly List<ServerNode> _moved = [];

        public MergedWorld(MembershipServerSettings settings, int nodes)
        {
            Merger = new RegionMerger(settings, Regions, Probes.None);
            Nodes = RegionCalculatorTests.MakeNodes(nodes);
        }

        public RegionCalculator Regions { get; } = new();

        public RegionMerger Merger { get; }

        public ServerNode[] Nodes { get; }

        public void Begin()
        {
            Regions.Begin();
            _moved.Clear();
        }

        public void Move(ServerNode node, uint[] groups)
        {
            ServerRegion? former = node.Home;
            Regions.SetHome(node, groups);
            Merger.OnMoved(node, former);
            _moved.Add(node);
        }

        public void End()
        {
            Merger.Plan();
            foreach (ServerNode node in _moved) Regions.Carry(node, RegionMerger.CarrierOf(node.Home));
            foreach (ServerNode node in Merger.TakeCarried()) Regions.Carry(node, RegionMerger.CarrierOf(node.Home));
            Regions.End();
            Regions.ForgetEmptied();
        }
    }
}
