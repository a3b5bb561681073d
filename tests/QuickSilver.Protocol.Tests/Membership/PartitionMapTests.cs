using QuickSilver.Protocol.Membership;

namespace QuickSilver.Protocol.Tests.Membership;

public sealed class PartitionMapTests
{
    [Fact]
    public void EveryMemberHasOnePlaceAndPartitionsAreNeverSmallerThanReplication()
    {
        for (int members = 1; members <= 60; members++)
        {
            for (int replication = 1; replication <= 8; replication++)
            {
                var map = new PartitionMap(members, replication);
                var seen = new HashSet<int>();
                for (int partition = 0; partition < map.Count; partition++)
                {
                    int size = map.SizeOf(partition);
                    Assert.InRange(
                        size, Math.Min(members, replication),
                        Math.Max(members < replication ? members : 0, (2 * replication) - 1));
                    for (int position = 0; position < size; position++)
                    {
                        int member = map.MemberAt(partition, position);
                        Assert.InRange(member, 0, members - 1);
                        Assert.True(seen.Add(member));
                        Assert.Equal(partition, map.OfMember(member));
                    }
                }
                Assert.Equal(members, seen.Count);
            }
        }
    }

    [Fact]
    public void SequencesGoRoundThePartitionsFromTheFirst()
    {
        var map = new PartitionMap(192, 5);
        Assert.Equal(38, map.Count);
        Assert.Equal(0, map.OfSequence(1));
        Assert.Equal(37, map.OfSequence(38));
        Assert.Equal(0, map.OfSequence(39));
        Assert.Equal((int)((ulong.MaxValue - 1) % 38), map.OfSequence(ulong.MaxValue));
        for (ulong first = 1; first < 100; first++)
        {
            Assert.Equal(
                38, Enumerable.Range(0, 38).Select(offset => map.OfSequence(first + (ulong)offset)).Distinct().Count());
        }
    }

    [Fact]
    public void SizesDifferByAtMostOne()
    {
        for (int members = 1; members <= 300; members++)
        {
            var map = new PartitionMap(members, 5);
            int[] sizes = [.. Enumerable.Range(0, map.Count).Select(map.SizeOf)];
            Assert.InRange(sizes.Max() - sizes.Min(), 0, 1);
            Assert.Equal(members, sizes.Sum());
        }
    }
}
