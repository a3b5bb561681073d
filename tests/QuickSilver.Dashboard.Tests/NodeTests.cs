using System.Text.Json;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using QuickSilver.Bench.Processes;

namespace QuickSilver.Dashboard.Tests;

/// <summary>The dashboard of real nodes on the loopback interface: given ones, and those of a host.</summary>
[Trait("needs", "nodes")]
public sealed class NodeTests
{
    private readonly int _port = FreePort.Find();

    [Fact]
    public async Task A_node_that_is_given_shows_its_cluster_and_stays_the_callers()
    {
        await using QuickSilverNode own = await QuickSilverNode.StartAsync(Options("own"));
        await using QuickSilverNode other = await QuickSilverNode.StartAsync(Options("other"));
        await using (WebApplication app = Build())
        {
            app.MapQuickSilverDashboard("/dash", own);
            await app.StartAsync(TestContext.Current.CancellationToken);
            await BothAreShownAsync(app, "/dash");
            await app.StopAsync(TestContext.Current.CancellationToken);
        }
        Assert.Equal(NodeState.Running, own.State);
    }

    [Theory]
    [InlineData(null)]
    [InlineData("audit")]
    public async Task The_node_of_a_host_shows_its_cluster(string? key)
    {
        await using QuickSilverNode other = await QuickSilverNode.StartAsync(Options("other"));
        await using WebApplication app = Build(services =>
        {
            if (key is null) services.AddQuickSilver(Set);
            else services.AddKeyedQuickSilver(key, Set);
        });
        app.MapQuickSilverDashboard("/dash", options => options.NodeKey = key);
        await app.StartAsync(TestContext.Current.CancellationToken);
        await BothAreShownAsync(app, "/dash");

        void Set(QuickSilverOptions options)
        {
            options.NodeName = "own";
            options.ClusterName = "tests";
            options.Membership.Port = _port;
        }
    }

    [Fact]
    public async Task A_mistake_is_told_when_the_dashboard_is_mapped()
    {
        await using WebApplication app = Build();
        Assert.Contains(
            "AddQuickSilver",
            Assert.Throws<InvalidOperationException>(() => app.MapQuickSilverDashboard("/dash")).Message,
            StringComparison.Ordinal);
        Assert.Contains(
            "'audit'",
            Assert.Throws<InvalidOperationException>(
                () => app.MapQuickSilverDashboard("/dash", static options => options.NodeKey = "audit")).Message,
            StringComparison.Ordinal);
        Action<DashboardOptions>[] wrong =
        [
            static options => options.MaxStreams = 0, static options => options.MaxStreams = 10_001,
            static options => options.Linger = TimeSpan.FromSeconds(-1),
            static options => options.Linger = TimeSpan.FromHours(2),
        ];
        Assert.All(
            wrong,
            change => Assert.Throws<ArgumentOutOfRangeException>(() => app.MapQuickSilverDashboard("/dash", change)));
    }

    private static WebApplication Build(Action<IServiceCollection>? register = null)
    {
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.UseUrls("http://127.0.0.1:0");
        register?.Invoke(builder.Services);
        return builder.Build();
    }

    private static async Task BothAreShownAsync(WebApplication app, string prefix)
    {
        using var http = new HttpClient { Timeout = DashboardApp.Patience };
        var address = new Uri($"{app.Urls.Single()}{prefix}/api/nodes");
        string[] shown = [];
        long start = Environment.TickCount64;
        while (!shown.SequenceEqual(["other", "own"]))
        {
            Assert.True(
                Environment.TickCount64 - start < DashboardApp.Patience.TotalMilliseconds, string.Join(' ', shown));
            using HttpResponseMessage answer = await http.GetAsync(address);
            if (answer.IsSuccessStatusCode)
            {
                JsonElement page = JsonElement.Parse(await answer.Content.ReadAsStringAsync());
                shown = [.. page.GetProperty("rows").EnumerateArray()
                    .Select(static row => row.GetProperty("name").GetString()!)];
            }
            await Task.Delay(100, TestContext.Current.CancellationToken);
        }
    }

    private QuickSilverOptions Options(string name)
    {
        var options = new QuickSilverOptions { ClusterName = "tests", NodeName = name };
        options.Membership.Port = _port;
        return options;
    }
}
