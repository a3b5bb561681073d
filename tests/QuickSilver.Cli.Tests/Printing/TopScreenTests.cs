using QuickSilver.Cli.Commands;
using QuickSilver.Cli.Printing;

namespace QuickSilver.Cli.Tests.Printing;

public sealed class TopScreenTests
{
    [Theory]
    [InlineData(80, 24)]
    [InlineData(20, 8)]
    [InlineData(200, 60)]
    public void Two_hundred_nodes_fit_a_terminal(int width, int height)
    {
        var cluster = new ClusterSnapshot
        {
            Cluster = "bank\u001b[2J",
            Nodes = [.. Enumerable.Range(0, 200).Select(static index => Node($"node-\u001b[31m{index}", index))],
            Slowest = [Lag("node-7", true), Lag("node-8", false)],
        };
        IReadOnlyList<string> lines = TopScreen.Lines(cluster, width, height);
        Assert.InRange(lines.Count, 1, height);
        Assert.All(lines, line => Assert.InRange(line.Length, 0, width));
        Assert.All(string.Concat(lines), static one => Assert.False(char.IsControl(one)));
        if (width >= 80) Assert.Contains(lines, static line => line.Contains("more", StringComparison.Ordinal));
        Assert.Contains(lines, static line => line.StartsWith("node-7", StringComparison.Ordinal));
    }

    [Fact]
    public void Trouble_is_ranked_before_traffic()
    {
        NodeReport busy = Node("busy", 1) with { Rates = new NodeRates { BytesSent = 1e9 } };
        NodeReport lossy = Node("lossy", 2) with { Rates = new NodeRates { RepairsFromPeers = 50 } };
        NodeReport slow = Node("slow", 3);
        NodeReport silent = Node("silent", 4) with { IsSilent = true };
        var cluster = new ClusterSnapshot
        {
            Nodes = [busy, lossy, silent, slow],
            Slowest = [new MemberLag(
                slow.Snapshot.Member, LagReason.Silent, 5, default, TimeSpan.FromSeconds(4), true, ["g"], [1])],
        };
        Assert.Equal(
            ["silent", "slow", "lossy", "busy"],
            TopScreen.Rank(cluster).Select(static node => node.Snapshot.Member.Name));
    }

    [Fact]
    public void A_table_counts_the_rows_that_do_not_fit()
    {
        var table = new TextTable("NAME", ">COUNT");
        for (int index = 0; index < 10; index++) table.Add($"row {index}", "7");
        Assert.Equal(["NAME   COUNT", "row 0      7", "row 1      7", "... and 8 more"], table.Lines(80, 4));
        Assert.Equal(11, table.Lines().Count);
    }

    private static NodeReport Node(string name, int index) => new()
    {
        Snapshot = new NodeSnapshot
        {
            Member = new Member(MemberId.Parse($"10.0.0.5:{15000 + index}/7"), name),
            Statistics = new NodeStatistics(),
        },
    };

    private static MemberLag Lag(string name, bool holdsUp) => new(
        new Member(MemberId.Parse("10.0.0.5:15001/7"), name), LagReason.Silent, 5, default, TimeSpan.FromSeconds(4),
        holdsUp, ["g"], [1]);
}
