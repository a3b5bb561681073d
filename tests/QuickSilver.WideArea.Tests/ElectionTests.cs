using QuickSilver.WideArea.Presence;

namespace QuickSilver.WideArea.Tests;

/// <summary>Which gateway of a site is active: never two, and soon one.</summary>
public sealed class ElectionTests
{
    [Fact]
    public void A_gateway_that_is_alone_is_active_at_once()
    {
        MemberId self = ElectionWorld.IdOf(0);
        var election = new GatewayElection(self, 1, 0);
        Assert.False(election.IsActive);
        election.OnView([ElectionWorld.IdOf(1)]);
        Assert.False(election.IsActive);
        election.OnView([self]);
        Assert.True(election.IsActive);
        // Others come later, and change nothing.
        election.OnView([self, ElectionWorld.IdOf(1)]);
        election.OnVote(ElectionWorld.IdOf(1), new ElectionVote(ElectionWorld.IdOf(1), 7, false, 5));
        Assert.True(election.IsActive);
        Assert.Equal(new ElectionVote(self, 1, true, 5), election.Vote);
    }

    [Fact]
    public void A_vote_for_an_earlier_claim_does_not_count()
    {
        MemberId self = ElectionWorld.IdOf(1), other = ElectionWorld.IdOf(0);
        var election = new GatewayElection(self, 10, 0);
        election.OnView([self, other]);
        // The other claims, and is smaller; then it votes for the claim that was given up.
        election.OnVote(other, new ElectionVote(other, 3, false, 0));
        Assert.Equal(other, election.Vote.For);
        election.OnVote(other, new ElectionVote(self, 10, false, 0));
        Assert.False(election.IsActive);
        Assert.Equal(new ElectionVote(self, 11, false, 0), election.Vote);
        election.OnVote(other, new ElectionVote(self, 11, false, 0));
        Assert.True(election.IsActive);
    }

    [Fact]
    public void One_that_is_not_in_the_view_is_not_heard()
    {
        MemberId self = ElectionWorld.IdOf(1), other = ElectionWorld.IdOf(0), third = ElectionWorld.IdOf(2);
        var election = new GatewayElection(self, 1, 0);
        election.OnView([self, third]);
        election.OnVote(other, new ElectionVote(other, 1, true, 0));
        Assert.Null(election.OtherActive);
        Assert.Equal(self, election.Vote.For);
        election.OnVote(third, new ElectionVote(self, 1, false, 0));
        Assert.True(election.IsActive);
    }

    // Every order in which the events of two and of three gateways can come, up to a depth: their seeds choose.
    [Theory]
    [InlineData(2)]
    [InlineData(3)]
    public void In_all_orders_of_their_starts_one_becomes_active(int count)
    {
        foreach (int[] order in Orders(count))
        {
            for (int seed = 0; seed < 300; seed++)
            {
                var world = new ElectionWorld(seed);
                foreach (int place in order)
                {
                    world.Join(ElectionWorld.IdOf(place));
                    for (int step = seed % 7; step > 0; step--) world.Step(repeats: false);
                    Assert.InRange(world.Active.Count, 0, 1);
                }
                world.Settle(() => Assert.InRange(world.Active.Count, 0, 1));
                MemberId active = Assert.Single(world.Active);
                Assert.All(world.Members, one => Assert.Equal(active, world.ElectionOf(one).Vote.For));
            }
        }
    }

    [Fact]
    public void Whatever_comes_and_goes_there_are_never_two_and_soon_one()
    {
        int takeovers = 0;
        for (int seed = 0; seed < 3000; seed++)
        {
            var random = new Random(seed);
            var world = new ElectionWorld(seed);
            var incarnations = new ulong[4];
            MemberId last = default;
            for (int action = 0; action < 25; action++)
            {
                int place = random.Next(incarnations.Length);
                MemberId id = ElectionWorld.IdOf(place, incarnations[place] + 1);
                bool isIn = world.Members.Contains(id);
                if (!isIn) world.Join(id);
                else if (random.Next(3) == 0)
                {
                    // The same node begins again: others may never see a view without it.
                    world.Leave(id);
                    if (random.Next(2) == 0) world.Join(id);
                }
                else if (random.Next(2) == 0)
                {
                    // An eviction: the node comes back under another id.
                    world.Leave(id);
                    incarnations[place]++;
                }
                for (int step = random.Next(12); step > 0; step--)
                {
                    world.Step(repeats: true);
                    Check();
                }
            }
            if (world.Members.Count == 0) continue;
            world.Settle(Check);
            Assert.True(world.Active.Count == 1, $"seed {seed}: {world.Active.Count} are active");

            void Check()
            {
                IReadOnlyList<MemberId> active = world.Active;
                Assert.True(active.Count <= 1, $"seed {seed}: {string.Join(", ", active)}");
                if (active.Count == 0 || active[0] == last) return;
                last = active[0];
                takeovers++;
            }
        }
        Assert.True(takeovers > 3000, $"{takeovers}");
    }

    private static IEnumerable<int[]> Orders(int count)
    {
        if (count == 1)
        {
            yield return [0];
            yield break;
        }
        foreach (int[] rest in Orders(count - 1))
        {
            for (int at = 0; at <= rest.Length; at++) yield return [.. rest[..at], count - 1, .. rest[at..]];
        }
    }
}
