using System.Net;
using System.Text.Json;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using QuickSilver.Bench.Processes;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Stack;

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
    public async Task A_refusal_by_the_membership_server_is_told_until_it_permits_the_watch()
    {
        bool isPermitted = false;
        QuickSilverOptions serving = Options("other");
        serving.Security.Authorize = request => !request.IsMonitor || Volatile.Read(ref isPermitted);
        await using QuickSilverNode other = await QuickSilverNode.StartAsync(serving);
        await using QuickSilverNode own = await QuickSilverNode.StartAsync(Options("own"));
        await using WebApplication app = Build();
        app.MapQuickSilverDashboard("/dash", own);
        await app.StartAsync(TestContext.Current.CancellationToken);
        await UntilAsync(
            app, static answer => answer.Status == HttpStatusCode.ServiceUnavailable
                && answer.Text.Contains("IsMonitor", StringComparison.Ordinal));
        Volatile.Write(ref isPermitted, true);
        await BothAreShownAsync(app, "/dash");
        await app.StopAsync(TestContext.Current.CancellationToken);
    }

    [Fact]
    public async Task A_watching_node_that_is_evicted_watches_again_when_it_is_back()
    {
        await using QuickSilverNode other = await QuickSilverNode.StartAsync(Options("other"));
        await using QuickSilverNode own = await QuickSilverNode.StartAsync(Options("own"));
        await using WebApplication app = Build();
        app.MapQuickSilverDashboard("/dash", own);
        await app.StartAsync(TestContext.Current.CancellationToken);
        await BothAreShownAsync(app, "/dash");
        string before = own.Id.ToString();
        Assert.True(own.Core.Services.TryPost(
            now => ((INodeUpcalls)own.Core).OnExpelled(MembershipRefusal.Removed, now)));
        await UntilAsync(
            app,
            answer => answer.Status == HttpStatusCode.OK && own.Id.ToString() is var now && now != before
                && answer.Text.Contains(now, StringComparison.Ordinal)
                && !answer.Text.Contains(before, StringComparison.Ordinal));
        await BothAreShownAsync(app, "/dash");
        await app.StopAsync(TestContext.Current.CancellationToken);
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

    private static Task BothAreShownAsync(WebApplication app, string prefix) => UntilAsync(
        app,
        static answer => answer.Status == HttpStatusCode.OK
            && JsonElement.Parse(answer.Text).GetProperty("rows").EnumerateArray()
                .Select(static row => row.GetProperty("name").GetString()).SequenceEqual(["other", "own"]),
        prefix);

    // Asks for the nodes until the answer is as it has to be.
    private static async Task UntilAsync(
        WebApplication app, Predicate<(HttpStatusCode Status, string Text)> isIt, string prefix = "/dash")
    {
        using var http = new HttpClient { Timeout = DashboardApp.Patience };
        var address = new Uri($"{app.Urls.Single()}{prefix}/api/nodes");
        long start = Environment.TickCount64;
        while (true)
        {
            using HttpResponseMessage answer = await http.GetAsync(address);
            string text = await answer.Content.ReadAsStringAsync();
            if (isIt((answer.StatusCode, text))) return;
            Assert.True(Environment.TickCount64 - start < DashboardApp.Patience.TotalMilliseconds, text);
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
