using System.Net.Sockets;
using System.Text.Json;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Routing;
using Microsoft.AspNetCore.Server.Kestrel.Transport.Sockets;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using QuickSilver.Dashboard.Sharing;
using QuickSilver.Dashboard.Web;

namespace QuickSilver.Dashboard.Tests;

/// <summary>A web application on a port of loopback that has the dashboard of a made-up cluster, and nothing
/// else.</summary>
internal sealed class DashboardApp : IAsyncDisposable
{
    /// <summary>How long anything may take before a test gives up on it.</summary>
    public static readonly TimeSpan Patience = TimeSpan.FromSeconds(30);

    private readonly WebApplication _app;

    private DashboardApp(WebApplication app, SharedWatch watch, StreamLimit limit, Uri address)
    {
        _app = app;
        Watch = watch;
        Limit = limit;
        Http = new HttpClient(new SocketsHttpHandler { AllowAutoRedirect = false, MaxConnectionsPerServer = 1000 })
        {
            BaseAddress = address,
            Timeout = Patience,
        };
    }

    /// <summary>The shared watch.</summary>
    public SharedWatch Watch { get; }

    /// <summary>The streams that are open.</summary>
    public StreamLimit Limit { get; }

    /// <summary>Asks the dashboard, relative to its folder.</summary>
    public HttpClient Http { get; }

    /// <summary>The folder of the dashboard.</summary>
    public Uri Address => Http.BaseAddress!;

    /// <summary>Starts an application.</summary>
    /// <param name="cluster">The cluster.</param>
    /// <param name="prefix">Prefix of the dashboard.</param>
    /// <param name="linger">How long it watches after the last browser has gone.</param>
    /// <param name="streams">How many streams it allows.</param>
    /// <param name="convene">Adds conventions of the host.</param>
    public static async Task<DashboardApp> StartAsync(
        FakeCluster cluster, string prefix = "/quicksilver", TimeSpan? linger = null, int streams = 256,
        Action<RouteGroupBuilder>? convene = null)
    {
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.UseUrls("http://127.0.0.1:0");
        // The kernel would keep megabytes for a reader that does not read.
        builder.WebHost.UseSockets(static sockets => sockets.CreateBoundListenSocket = static place =>
        {
            Socket listening = SocketTransportOptions.CreateDefaultBoundListenSocket(place);
            listening.SendBufferSize = 8 << 10;
            return listening;
        });
        WebApplication app = builder.Build();
        CancellationToken stopping = app.Lifetime.ApplicationStopping;
        var watch = new SharedWatch(cluster, linger ?? TimeSpan.FromMilliseconds(100), app.Logger, stopping);
        var limit = new StreamLimit(streams);
        RouteGroupBuilder group = new DashboardEndpoints(watch, limit, stopping).Map(app.MapGroup(prefix));
        convene?.Invoke(group);
        await app.StartAsync();
        return new DashboardApp(app, watch, limit, new Uri($"{app.Urls.Single()}{prefix.TrimEnd('/')}/"));
    }

    /// <summary>Opens a stream of events.</summary>
    public async Task<EventReader> FollowAsync(string query = "") => new(
        await Http.GetAsync($"events{query}", HttpCompletionOption.ResponseHeadersRead));

    /// <summary>Asks for figures.</summary>
    public async Task<JsonElement> JsonAsync(string address) => JsonElement.Parse(await Http.GetStringAsync(address));

    /// <summary>Waits until something holds.</summary>
    public static async Task UntilAsync(Func<bool> holds, string what)
    {
        long start = Environment.TickCount64;
        while (!holds())
        {
            Assert.True(Environment.TickCount64 - start < Patience.TotalMilliseconds, $"never: {what}");
            await Task.Delay(20, TestContext.Current.CancellationToken);
        }
    }

    /// <summary>Stops the application, as Ctrl+C does.</summary>
    public Task StopAsync() => _app.StopAsync();

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        Http.Dispose();
        await _app.StopAsync();
        await _app.DisposeAsync();
    }
}
