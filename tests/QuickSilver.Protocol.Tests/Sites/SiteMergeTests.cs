using QuickSilver.Protocol.Sites.Ordering;

namespace QuickSilver.Protocol.Tests.Sites;

/// <summary>One order of the messages of several sites.</summary>
public sealed class SiteMergeTests
{
    private static readonly ulong Cuts =
        ulong.Parse(Environment.GetEnvironmentVariable("QUICKSILVER_CUTS") ?? "150");

    [Theory]
    [InlineData(2)]
    [InlineData(3)]
    public void AllMembersOfAllSitesDeliverOneOrder(int sites)
    {
        for (ulong seed = 1; seed <= 100; seed++)
        {
            var world = new OrderWorld(seed, sites);
            world.Run(600);
            world.Settle();
            world.Check();
        }
    }

    [Theory]
    [InlineData(2, 4, 0, 0)]
    [InlineData(3, 4, 0, 3)]
    [InlineData(2, 2, 2, 2)]
    [InlineData(3, 0, 1, 0)]
    [InlineData(3, 3, 3, 2)]
    [InlineData(4, 4, 4, 2)]
    public void TakeoversRestartsAndJoinsChangeNoOrder(int sites, int takeovers, int restarts, int joins)
    {
        ulong forwarded = 0;
        var failed = new List<string>();
        for (ulong seed = 1; seed <= 200; seed++)
        {
            var world = new OrderWorld(seed, sites, safe: seed % 2 == 0);
            try
            {
                if (seed % 4 > 0) world.Settle();
                world.Run(1000, takeovers, restarts, joins);
                world.Settle();
                world.Run(200, takeovers);
                world.Settle();
                world.Check();
            }
            catch (Exception fault)
            {
                failed.Add($"seed {seed}: {fault.Message}");
            }
            forwarded += world.Forwarded;
        }
        Assert.True(failed.Count == 0, $"{failed.Count} seeds: {string.Join(Environment.NewLine, failed)}");
        if (sites > 2 && restarts > 0) Assert.True(forwarded > 0);
    }

    [Theory]
    [InlineData(CutPolicy.Wait, 3, 0, 0)]
    [InlineData(CutPolicy.GoOn, 2, 0, 0)]
    [InlineData(CutPolicy.GoOn, 3, 3, 0)]
    [InlineData(CutPolicy.GoOn, 4, 3, 2)]
    [InlineData(CutPolicy.Majority, 3, 0, 0)]
    [InlineData(CutPolicy.Majority, 3, 3, 1)]
    [InlineData(CutPolicy.Majority, 5, 3, 0)]
    [InlineData(CutPolicy.Majority, 5, 3, 2)]
    internal void CutsAtAnyStepAndTheirEndChangeNoOrder(CutPolicy policy, int sites, int takeovers, int restarts)
    {
        var failed = new List<string>();
        for (ulong seed = 1; seed <= Cuts; seed++)
        {
            try
            {
                RunCuts(seed, sites, policy, takeovers, restarts);
            }
            catch (Exception fault)
            {
                failed.Add($"seed {seed}: {fault.Message}");
            }
        }
        Assert.True(
            failed.Count == 0, $"{failed.Count} seeds: {string.Join(Environment.NewLine, failed.Take(5))}");
    }

    [Fact]
    public void PlantedInStampsAPromiseThatIsNotKeptIsFound() =>
        Assert.NotEmpty(FindsWith(static record =>
            record.Kind == OrderRecordKind.Stamp && record.Number > 0
                ? record with { Stamp = record.Stamp + 4 } : record));

    [Fact]
    public void PlantedInStampsAnEntryThatASiteDoesNotHaveIsFound() =>
        Assert.NotEmpty(FindsWith(static record => record.Kind != OrderRecordKind.Stamp ? record : record with
        {
            Have = [.. record.Have.Select(static have => have > 0 ? have + 3 : have)],
        }));

    [Fact]
    public void PlantedInEntriesAnotherStampForASiteIsFound()
    {
        int told = 0;
        Assert.NotEmpty(FindsWith(record =>
            record.Kind == OrderRecordKind.Entry && ++told % 7 == 0
                ? record with { Stamp = record.Stamp + 2 } : record));
    }

    [Fact]
    public void PlantedInStatesAnEntryThatASiteDoesNotHaveIsFound() =>
        Assert.NotEmpty(FindsInCutsWith(static state => state with
        {
            Have = [.. state.Have.Select(static have => have > 2 ? have + 1 : have)],
        }));

    [Fact]
    public void PlantedInStatesASiteThatIsReadyTooSoonIsFound() =>
        Assert.NotEmpty(FindsInCutsWith(static state => state with { IsReady = state.Joined is not null }));

    [Fact]
    public void PlantedInStatesAClockThatIsBehindIsFound() =>
        Assert.NotEmpty(FindsInCutsWith(static state => state with { Clock = state.Clock / 2 }));

    [Fact]
    public void PlantedInStatesAForgottenAcceptanceIsFound() =>
        Assert.NotEmpty(FindsInCutsWith(static state => state with { Accepted = default, Limits = [] }));

    [Fact]
    public void PlantedInStatesAForgottenPastIsFound() =>
        Assert.NotEmpty(FindsInCutsWith(
            static state => state with { Past = new StreamEnd[state.Past.Length] }));

    private static List<ulong> FindsInCutsWith(Func<SiteState, SiteState> forges)
    {
        var found = new List<ulong>();
        for (ulong seed = 1; seed <= 1000 && found.Count < 3; seed++)
        {
            try
            {
                RunCuts(seed, 3, CutPolicy.Majority, takeovers: 0, restarts: 0, record =>
                    record.State is null ? record : record with { State = forges(record.State) });
            }
            catch (Exception)
            {
                found.Add(seed);
            }
        }
        return found;
    }

    private static void RunCuts(
        ulong seed, int sites, CutPolicy policy, int takeovers, int restarts,
        Func<OrderRecord, OrderRecord>? forges = null)
    {
        var world = new OrderWorld(seed, sites, safe: seed % 2 == 0, forges, policy);
        world.Run(300, takeovers);
        if (seed % 4 > 0) world.Settle();
        world.Run(1500, takeovers, restarts, joins: 2, cuts: 10);
        if (seed % 3 == 0) world.Settle();
        world.Heal();
        world.Settle();
        world.CheckMembers();
        world.CheckMerged();
        int sent = world.Sent;
        world.Run(300);
        world.Settle();
        world.CheckMembers();
        world.CheckSince(sent);
        if (policy == CutPolicy.Wait) world.Check();
        if (policy == CutPolicy.Majority) world.CheckMajority();
    }

    private static List<ulong> FindsWith(Func<OrderRecord, OrderRecord> forges)
    {
        var found = new List<ulong>();
        for (ulong seed = 1; seed <= 30; seed++)
        {
            var world = new OrderWorld(seed, 3, safe: false, forges);
            try
            {
                world.Settle();
                world.Run(600, takeovers: 4);
                world.Settle();
                world.Check();
            }
            catch (Exception)
            {
                found.Add(seed);
            }
        }
        return found;
    }
}
