using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Lateral;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Lateral;

/// <summary>Which repairs leave before they are paid for, and how bins are filled in turn.</summary>
public sealed class RepairBinsTests
{
    private static readonly Instant Begin = new(TimeSpan.TicksPerSecond);

    [Theory]
    [InlineData(2, 1)]
    [InlineData(3, 2)]
    [InlineData(9, 4)]
    [InlineData(20, 20)]
    public void APacketThatWaitsReachesEachMemberInOneRepair(int members, int sender)
    {
        NodeInfo[] nodes = Nodes(members);
        RepairBins[] bins = [.. nodes.Select(node => Make(nodes, node, LateralCode.Field, lanes: 1))];
        for (ulong number = 1; number <= 20; number++)
        {
            var id = new LateralId(nodes[sender - 1].Number.Key, 7, number, 0);
            Instant now = Begin + TimeSpan.FromSeconds(number);
            var reached = new List<NodeInfo>();
            for (int node = 0; node < members; node++)
            {
                bins[node].Add(0, id, isOwn: node == sender - 1, now);
                reached.AddRange(Take(bins[node]));
            }
            int paid = reached.Count;
            for (int node = 0; node < members; node++)
            {
                bins[node].Flush(now + RepairTurns.FlushAfter);
                reached.AddRange(Take(bins[node]));
            }

            Assert.DoesNotContain(nodes[sender - 1], reached);
            // Of a repair that a packet has paid for there may be more than one.
            Assert.Equal(members - 1, reached.Distinct().Count());
            Assert.True(reached.Count - paid <= members - 1);
        }
    }

    [Theory]
    [InlineData(1.0, 20, 120)]
    [InlineData(0.01, 0, 0)]
    public void ANodeThatSendsManyRepairsFlushesNone(double interval, int least, int most)
    {
        NodeInfo[] nodes = Nodes(9);
        RepairBins bins = Make(nodes, nodes[0], LateralCode.Field, lanes: 1);
        Instant end = Begin + TimeSpan.FromSeconds(5);
        double paid = 0;
        int sent = 0;
        ulong number = 0;
        for (Instant now = Begin; now < end; now += TimeSpan.FromMilliseconds(10 * interval))
        {
            for (int packet = 0; packet < (interval < 1 ? 8 : 1); packet++)
            {
                bins.Add(0, new LateralId(nodes[1].Number.Key, 7, ++number, 0), isOwn: false, now);
                paid += 0.25;
            }
            bins.Flush(now);
            sent += Take(bins).Count;
        }

        Assert.InRange((sent - paid) / 5, least - 2, most + 2);
    }

    [Fact]
    public void StaggeredBinsAreFilledInTurn()
    {
        NodeInfo[] nodes = Nodes(2);
        RepairBins bins = Make(nodes, nodes[0], LateralCode.Field, lanes: 2);
        var repairs = new List<LateralId[]>();
        for (ulong number = 1; number <= 64; number++)
        {
            bins.Add(0, new LateralId(nodes[0].Number.Key, 7, number, 0), isOwn: true, Begin);
            while (bins.TryTake(out RepairBin bin))
            {
                repairs.Add([.. bin.Ids]);
                bins.Clear(bin);
            }
        }

        Assert.Equal(2, bins.Count);
        Assert.True(repairs.Count >= 6);
        Assert.All(repairs, static ids => Assert.Single(ids.Select(static id => id.Number % 2).Distinct()));
    }

    private static RepairBins Make(NodeInfo[] nodes, NodeInfo self, LateralCode code, int lanes)
    {
        var region = new LateralRegion([0]);
        region.Members.AddRange(nodes.Where(node => node != self));
        var bins = new RepairBins(new SeededRandom(self.Number.Counter));
        bins.Rebuild(
            new MultiGroupView([7], [nodes.Length - 1], [region]), [2], 8, code, lanes, self.Number.Key);
        return bins;
    }

    private static List<NodeInfo> Take(RepairBins bins)
    {
        var targets = new List<NodeInfo>();
        while (bins.TryTake(out RepairBin bin))
        {
            bins.AddTargets(bin, targets);
            bins.Clear(bin);
        }
        return targets;
    }

    private static NodeInfo[] Nodes(int count) =>
    [
        .. Enumerable.Range(1, count).Select(static number => new NodeInfo(
            new NodeNumber(new Epoch(1, 1), (uint)number), $"n{number}", 1, default, default, 1 << 20)),
    ];
}
