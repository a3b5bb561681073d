using QuickSilver.Protocol.Sites.Ordering;

namespace QuickSilver.Protocol.Tests.Sites;

/// <summary>One order of the messages of several sites.</summary>
public sealed class SiteMergeTests
{
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

    [Fact]
    public void PlantedInStampsAPromiseThatIsNotKeptIsFound() =>
        Assert.NotEmpty(FindsWith(static record =>
            record.Kind == OrderRecordKind.Stamp && record.Number > 0
                ? record with { Stamp = record.Stamp + 4 } : record));

    [Fact]
    public void PlantedInReportsAnEntryThatASiteDoesNotHaveIsFound() =>
        Assert.NotEmpty(FindsWith(static record => record.Kind != OrderRecordKind.Stamp ? record : record with
        {
            Reports = [.. record.Reports.Select(
                static report => report.Incarnation > 0 ? report with { Have = report.Have + 3 } : report)],
        }));

    [Fact]
    public void PlantedInEntriesAnotherStampForASiteIsFound()
    {
        int told = 0;
        Assert.NotEmpty(FindsWith(record =>
            record.Kind == OrderRecordKind.Entry && ++told % 7 == 0
                ? record with { Stamp = record.Stamp + 2 } : record));
    }

    private static List<ulong> FindsWith(Func<OrderRecord, OrderRecord> forges)
    {
        var found = new List<ulong>();
        for (ulong seed = 1; seed <= 30; seed++)
        {
            var world = new OrderWorld(seed, 3, safe: false, forges);
            try
            {
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
