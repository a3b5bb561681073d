using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Recovery.Ring;

namespace QuickSilver.Protocol.Tests.Recovery;

public sealed class RingPlanTests
{
    [Fact]
    public void AgreesWithANaivePlanWhoeverIsRemovedOrSkipped()
    {
        for (ulong seed = 1; seed <= 300; seed++)
        {
            var random = new SeededRandom(seed);
            int members = 1 + (int)random.NextBelow(40);
            var world = new RingWorld(members, 1 + (int)random.NextBelow(6));
            var plan = new RingPlan(world.View, []);
            var live = new List<int>();
            var visited = new List<int>();
            for (int member = 0; member < members; member++)
            {
                bool removed = world.View.Members[member].IsRemoved = random.NextDouble() < 0.3;
                bool skipped = random.NextDouble() < 0.2;
                if (skipped) plan.Skip(member);
                if (!removed) live.Add(member);
                if (!removed && !skipped) visited.Add(member);
            }

            int partitions = world.View.Partitions.Count;
            for (int partition = 0; partition < partitions; partition++)
            {
                var walk = new List<int>();
                for (int member = plan.LeadOf(partition); member >= 0; member = plan.NextInPartition(member))
                    walk.Add(member);
                Assert.True(
                    visited.FindAll(member => member % partitions == partition).SequenceEqual(walk),
                    $"seed {seed}, partition {partition}");
                int next = Enumerable.Range(partition, partitions - partition)
                    .FirstOrDefault(candidate => visited.Exists(member => member % partitions == candidate), -1);
                Assert.True(next == plan.PartitionFrom(partition), $"seed {seed}, from partition {partition}");
            }
            Assert.True(plan.FirstLive() == live.FirstOrDefault(), $"seed {seed}");
            Assert.All(live, member => Assert.Equal(live.IndexOf(member), plan.RankOf(member)));
        }
    }

    [Fact]
    public void ANewRoundForgetsTheSkipped()
    {
        var plan = new RingPlan(new RingWorld(4).View, []);
        plan.Skip(2);
        plan.Skip(1);
        Assert.Equal([1, 2], plan.Skipped);
        Assert.Equal(3, plan.NextInPartition(0));
        plan.Begin(null);
        Assert.Equal(1, plan.NextInPartition(0));
    }
}
