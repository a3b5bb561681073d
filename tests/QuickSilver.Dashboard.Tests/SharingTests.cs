using System.Net;
using System.Net.Sockets;
using System.Text;
using System.Text.Json;
using QuickSilver.Dashboard.Sharing;

namespace QuickSilver.Dashboard.Tests;

/// <summary>Many browsers share one watch, and cost little each.</summary>
public sealed class SharingTests
{
    private const int Browsers = 200;

    [Fact]
    public async Task Two_hundred_browsers_share_one_watch_and_one_serialisation_a_tick()
    {
        var cluster = new FakeCluster(200, 10);
        await using DashboardApp app = await DashboardApp.StartAsync(cluster, streams: Browsers);
        EventReader[] streams = await Task.WhenAll(Enumerable.Range(0, Browsers).Select(_ => app.FollowAsync()));
        try
        {
            await Task.WhenAll(streams.Select(static stream => stream.FrameAsync()));
            Assert.Equal(1, cluster.Opened);
            for (int tick = 0; tick < 3; tick++)
            {
                cluster.Tick();
                JsonElement[] frames = await Task.WhenAll(streams.Select(static stream => stream.FrameAsync()));
                Assert.Single(frames.Select(static frame => frame.GetProperty("overview").GetRawText()).Distinct());
                WatchState state = await app.Watch.NextAsync(0, TestContext.Current.CancellationToken);
                Assert.Equal(1, state.Frame!.Serialisations);
            }

            using EventReader more = await app.FollowAsync();
            Assert.Equal(HttpStatusCode.ServiceUnavailable, more.Answer.StatusCode);
            Assert.True(more.Answer.Headers.RetryAfter?.Delta > TimeSpan.Zero);
            Assert.Equal("application/problem+json", more.Answer.Content.Headers.ContentType?.MediaType);
        }
        finally
        {
            foreach (EventReader stream in streams) stream.Dispose();
        }
        await DashboardApp.UntilAsync(() => app.Limit.Open == 0, "the places are given back");
        await DashboardApp.UntilAsync(() => !cluster.IsOpen, "nobody watches any more");
    }

    [Fact]
    public async Task The_cluster_is_watched_only_while_somebody_looks()
    {
        var cluster = new FakeCluster(3, 1);
        await using DashboardApp app = await DashboardApp.StartAsync(cluster);
        using (HttpResponseMessage page = await app.Http.GetAsync("")) Assert.True(page.IsSuccessStatusCode);
        Assert.Equal(0, cluster.Opened);
        for (int round = 1; round <= 3; round++)
        {
            using (EventReader stream = await app.FollowAsync())
            {
                await stream.FrameAsync();
                Assert.True(cluster.IsOpen);
                Assert.Equal(round, cluster.Opened);
            }
            await DashboardApp.UntilAsync(() => !cluster.IsOpen, "nobody watches any more");
        }
    }

    [Fact]
    public async Task A_page_that_is_loaded_again_finds_the_same_watch()
    {
        var cluster = new FakeCluster(3, 1);
        await using DashboardApp app = await DashboardApp.StartAsync(cluster, linger: TimeSpan.FromMinutes(5));
        for (int round = 0; round < 3; round++)
        {
            using EventReader stream = await app.FollowAsync();
            await stream.FrameAsync();
        }
        await DashboardApp.UntilAsync(() => app.Limit.Open == 0, "all have gone");
        Assert.Equal(1, cluster.Opened);
        Assert.True(cluster.IsOpen);
    }

    [Fact]
    public async Task A_slow_browser_gets_the_newest_figures_and_no_queue()
    {
        var cluster = new FakeCluster(200, 10);
        await using DashboardApp app = await DashboardApp.StartAsync(cluster);
        using var slow = new Socket(SocketType.Stream, ProtocolType.Tcp) { ReceiveBufferSize = 4096 };
        await slow.ConnectAsync(app.Address.Host, app.Address.Port);
        // The older version has no chunks, so that lines are lines.
        string asked = $"GET {app.Address.AbsolutePath}events HTTP/1.0\r\nHost: {app.Address.Authority}\r\n\r\n";
        await slow.SendAsync(Encoding.ASCII.GetBytes(asked));

        // What others see shows how many ticks there have been.
        using EventReader quick = await app.FollowAsync();
        double newest = 0;
        for (int tick = 0; tick < 40; tick++)
        {
            newest = TimeOf(await quick.FrameAsync());
            cluster.Tick();
        }
        Assert.Equal(2, app.Limit.Open);
        using var stream = new NetworkStream(slow);
        using var reader = new StreamReader(stream);
        int frames = 0;
        double shown = 0;
        while (shown < newest)
        {
            string line = (await reader.ReadLineAsync().WaitAsync(DashboardApp.Patience))!;
            if (!line.StartsWith("data: ", StringComparison.Ordinal)) continue;
            frames++;
            shown = TimeOf(JsonElement.Parse(line[6..]));
        }
        Assert.InRange(frames, 1, 38);
    }

    [Fact]
    public async Task A_cluster_that_cannot_be_watched_is_a_trouble_that_passes()
    {
        var cluster = new FakeCluster(3, 1) { Failure = new InvalidOperationException("nobody may <b>watch</b>") };
        await using DashboardApp app = await DashboardApp.StartAsync(cluster);
        using EventReader stream = await app.FollowAsync();
        (string Kind, JsonElement Data)? first = await stream.NextAsync();
        Assert.Equal("trouble", first?.Kind);
        Assert.Equal("nobody may <b>watch</b>", first?.Data.GetProperty("text").GetString());
        using HttpResponseMessage answer = await app.Http.GetAsync("api/nodes");
        Assert.Equal(HttpStatusCode.ServiceUnavailable, answer.StatusCode);
        cluster.Failure = null;
        (string Kind, JsonElement Data)? next = first;
        while (next?.Kind == "trouble") next = await stream.NextAsync();
        Assert.Equal("frame", next?.Kind);
    }

    [Fact]
    public async Task Streams_do_not_hold_up_the_stop_of_the_host()
    {
        var cluster = new FakeCluster(3, 1);
        await using DashboardApp app = await DashboardApp.StartAsync(cluster);
        using EventReader stream = await app.FollowAsync();
        await stream.FrameAsync();
        Task stop = app.StopAsync();
        Assert.Null(await stream.NextAsync());
        await stop.WaitAsync(DashboardApp.Patience);
        await DashboardApp.UntilAsync(() => !cluster.IsOpen, "nobody watches any more");
    }

    private static double TimeOf(JsonElement frame) =>
        frame.GetProperty("overview").GetProperty("point").GetProperty("time").GetDouble();
}
