using System.Text.Json;

namespace QuickSilver.Dashboard.Tests;

/// <summary>Names and figures are chosen by other nodes.</summary>
public sealed class UntrustedTests
{
    private const string Hostile = "</script><img src=x onerror=alert(1)>&\"'`{{x}}";

    [Fact]
    public async Task Names_are_escaped_and_come_through_whole()
    {
        var cluster = new FakeCluster(2, 1) { Change = Rename };
        await using DashboardApp app = await DashboardApp.StartAsync(cluster);
        string json = await app.Http.GetStringAsync("api/nodes");
        Assert.DoesNotContain("<", json, StringComparison.Ordinal);
        JsonElement row = JsonElement.Parse(json).GetProperty("rows")[0];
        Assert.Equal(Hostile, row.GetProperty("name").GetString());
        JsonElement group = await app.JsonAsync($"api/group?name={Uri.EscapeDataString(Hostile)}");
        Assert.Equal(Hostile, group.GetProperty("row").GetProperty("name").GetString());
    }

    [Fact]
    public async Task Figures_that_are_no_numbers_or_endless_are_shown_as_none()
    {
        var cluster = new FakeCluster(3, 1)
        {
            Change = static report => report with
            {
                Age = TimeSpan.MinValue,
                Rates = new NodeRates
                {
                    MessagesSent = double.NaN,
                    MessagesReceived = double.PositiveInfinity,
                    BytesReceived = -1,
                    BytesSent = double.NegativeInfinity,
                },
                Snapshot = report.Snapshot with
                {
                    LoopUse = double.NaN,
                    TokenRoundTrip = TimeSpan.MinValue,
                    Statistics = report.Snapshot.Statistics with
                    {
                        RateLimit = double.NaN,
                        RateActual = double.PositiveInfinity,
                        PendingBytes = long.MaxValue,
                        InboxBytes = long.MinValue,
                        MessagesLost = long.MaxValue,
                        RepairsFromPeers = long.MinValue,
                        RepairsFromSenders = long.MaxValue,
                    },
                    Regions = [new RegionReport { Number = 1, Rate = double.NaN, RateLimit = double.NaN }],
                    Groups = [new GroupStatistics { Name = "g", BytesReceived = long.MinValue }],
                },
            },
        };
        await using DashboardApp app = await DashboardApp.StartAsync(cluster);
        using EventReader stream = await app.FollowAsync("?nodeSort=sent");
        for (int tick = 0; tick < 3; tick++)
        {
            JsonElement frame = await stream.FrameAsync();
            Assert.Equal(0, frame.GetProperty("overview").GetProperty("received").GetDouble());
            cluster.Tick();
        }
        await app.JsonAsync($"api/nodes/{FakeCluster.NodeId(0)}");
    }

    [Fact]
    public async Task A_cluster_without_nodes_is_shown()
    {
        var cluster = new FakeCluster(0, 0);
        await using DashboardApp app = await DashboardApp.StartAsync(cluster);
        using EventReader stream = await app.FollowAsync();
        JsonElement frame = await stream.FrameAsync();
        Assert.Equal(0, frame.GetProperty("nodes").GetProperty("total").GetInt32());
        Assert.Equal(1, frame.GetProperty("nodes").GetProperty("pages").GetInt32());
    }

    [Fact]
    public async Task A_node_that_appears_twice_is_shown_once()
    {
        var cluster = new FakeCluster(2, 1)
        {
            ChangeAll = static snapshot => snapshot with { Nodes = [.. snapshot.Nodes, .. snapshot.Nodes] },
        };
        await using DashboardApp app = await DashboardApp.StartAsync(cluster);
        JsonElement page = await app.JsonAsync("api/nodes");
        Assert.Equal(2, page.GetProperty("total").GetInt32());
    }

    private static NodeReport Rename(NodeReport report) => report with
    {
        Snapshot = report.Snapshot with
        {
            Member = report.Snapshot.Member with { Name = Hostile },
            Groups = [.. report.Snapshot.Groups.Select(static group => group with { Name = Hostile })],
        },
    };
}
