using System.Text.Json;
using QuickSilver.Dashboard.Figures;

namespace QuickSilver.Dashboard.Tests;

/// <summary>Two hundred nodes and ten thousand groups come by the page, ranked.</summary>
public sealed class PagingTests
{
    private const int Nodes = 200;
    private const int GroupsOfEach = 50;

    [Fact]
    public async Task Pages_have_every_node_and_group_once_and_few_at_a_time()
    {
        await using DashboardApp app = await DashboardApp.StartAsync(new FakeCluster(Nodes, GroupsOfEach));
        List<string> nodes = await NamesAsync(app, "api/nodes?sort=name", Nodes);
        Assert.Equal(Enumerable.Range(0, Nodes).Select(FakeCluster.NodeName), nodes);
        List<string> groups = await NamesAsync(app, "api/groups?sort=inbox", Nodes * GroupsOfEach);
        Assert.Equal(Nodes * GroupsOfEach, groups.Distinct().Count());
    }

    [Fact]
    public async Task The_busiest_come_first()
    {
        var cluster = new FakeCluster(Nodes, GroupsOfEach);
        await using DashboardApp app = await DashboardApp.StartAsync(cluster);
        using EventReader stream = await app.FollowAsync("?nodeSort=sent&groupSort=bytes");
        await stream.FrameAsync();
        cluster.Tick();
        JsonElement frame = await stream.FrameAsync();
        JsonElement node = frame.GetProperty("nodes").GetProperty("rows")[0];
        Assert.Equal(FakeCluster.NodeName(Nodes - 1), node.GetProperty("name").GetString());
        JsonElement group = frame.GetProperty("groups").GetProperty("rows")[0];
        Assert.Equal(FakeCluster.GroupName(Nodes - 1, GroupsOfEach - 1), group.GetProperty("name").GetString());
        Assert.Equal((100 * (Nodes - 1)) + GroupsOfEach - 1, group.GetProperty("bytesReceived").GetDouble(), 3);

        // Of the nodes that report most repairs, those by name.
        JsonElement repairs = frame.GetProperty("repairs");
        Assert.Equal(Paging.Repairs, repairs.GetArrayLength());
        Assert.All(repairs.EnumerateArray(), static row => Assert.Equal(4, row.GetProperty("fromPeers").GetDouble()));
    }

    [Fact]
    public async Task A_page_behind_the_last_is_the_last()
    {
        await using DashboardApp app = await DashboardApp.StartAsync(new FakeCluster(Nodes, 1));
        JsonElement page = await app.JsonAsync("api/nodes?page=999999");
        Assert.Equal(7, page.GetProperty("page").GetInt32());
        Assert.Equal(8, page.GetProperty("pages").GetInt32());
        Assert.Equal(FakeCluster.NodeName(Nodes - 1), page.GetProperty("rows")[24].GetProperty("name").GetString());
    }

    [Fact]
    public async Task A_frame_is_small_though_the_cluster_is_large()
    {
        await using DashboardApp app = await DashboardApp.StartAsync(new FakeCluster(Nodes, GroupsOfEach));
        using EventReader stream = await app.FollowAsync();
        JsonElement frame = await stream.FrameAsync();
        int length = frame.GetRawText().Length;
        TestContext.Current.TestOutputHelper?.WriteLine($"a frame has {length} bytes");
        Assert.InRange(length, 1, 48 << 10);
        Assert.Equal(Nodes, frame.GetProperty("overview").GetProperty("nodes").GetInt32());
        Assert.Equal(Nodes * GroupsOfEach, frame.GetProperty("overview").GetProperty("groups").GetInt32());
        Assert.Equal(Paging.Regions, frame.GetProperty("matrix").GetProperty("regions").GetArrayLength());
        Assert.Equal(0, frame.GetProperty("matrix").GetProperty("rows")[0].GetProperty("in")[0].GetInt32());
    }

    [Fact]
    public async Task A_node_and_a_group_are_shown_in_detail()
    {
        await using DashboardApp app = await DashboardApp.StartAsync(new FakeCluster(Nodes, GroupsOfEach));
        JsonElement node = await app.JsonAsync($"api/nodes/{FakeCluster.NodeId(17)}");
        Assert.Equal(FakeCluster.NodeName(17), node.GetProperty("row").GetProperty("name").GetString());
        Assert.Equal(2, node.GetProperty("regions").GetArrayLength());
        Assert.Equal(25, node.GetProperty("groups").GetArrayLength());
        JsonElement group = await app.JsonAsync($"api/group?name={FakeCluster.GroupName(17, 3)}");
        JsonElement row = Assert.Single(group.GetProperty("rows").EnumerateArray());
        Assert.Equal(FakeCluster.NodeName(17), row.GetProperty("name").GetString());
    }

    private static async Task<List<string>> NamesAsync(DashboardApp app, string address, int total)
    {
        var names = new List<string>();
        for (int page = 0; ; page++)
        {
            JsonElement answer = await app.JsonAsync($"{address}&page={page}");
            Assert.Equal(page, answer.GetProperty("page").GetInt32());
            Assert.Equal(total, answer.GetProperty("total").GetInt32());
            JsonElement rows = answer.GetProperty("rows");
            Assert.InRange(rows.GetArrayLength(), 1, Paging.Rows);
            names.AddRange(rows.EnumerateArray().Select(static row => row.GetProperty("name").GetString()!));
            if (page + 1 == answer.GetProperty("pages").GetInt32()) return names;
        }
    }
}
