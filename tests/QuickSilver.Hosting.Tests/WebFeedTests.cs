using System.Globalization;
using System.Net;
using System.Net.Sockets;
using System.Text;
using QuickSilver.Bench.Processes;
using QuickSilver.Tests.Api;

namespace QuickSilver.Hosting.Tests;

/// <summary>The sample WebFeed shows what the comment at its top says.</summary>
public sealed class WebFeedTests
{
    [Fact]
    public async Task What_is_posted_to_one_instance_is_streamed_by_the_other()
    {
        string[] ports = [.. Enumerable.Range(0, 3).Select(
            static _ => FreePort.Find().ToString(CultureInfo.InvariantCulture))];
        await using ChildProcess one = Start(ports[0], ports[1]);
        await using ChildProcess two = Start(ports[0], ports[2]);
        using var http = new HttpClient { Timeout = NodeRig.Patience };
        foreach (string port in ports[1..])
            await NodeRig.UntilAsync(() => IsReadyAsync(http, port), $"{one.LastLines}{two.LastLines}");

        // The stream joins when it is asked for, and its answer begins with the first event: what is posted before is
        // not in it.
        Task<HttpResponseMessage> asked = http.GetAsync(
            $"http://127.0.0.1:{ports[2]}/news", HttpCompletionOption.ResponseHeadersRead);
        await NodeRig.UntilAsync(
            async () =>
            {
                using var news = new StringContent("""{"text":"hello"}""", Encoding.UTF8, "application/json");
                using HttpResponseMessage posted = await http.PostAsync($"http://127.0.0.1:{ports[1]}/news", news);
                Assert.Equal(HttpStatusCode.Accepted, posted.StatusCode);
                return asked.IsCompleted;
            },
            "news arrive");
        using HttpResponseMessage stream = await asked;
        Assert.Equal("text/event-stream", stream.Content.Headers.ContentType?.MediaType);
        using var reader = new StreamReader(await stream.Content.ReadAsStreamAsync());
        Assert.Equal("""data: {"text":"hello"}""", await reader.ReadLineAsync());

        // An open stream does not hold the stop up.
        using (var kill = System.Diagnostics.Process.Start("kill", ["-TERM", $"{two.Id}"]))
            await kill.WaitForExitAsync();
        int code = await two.Exit.WaitAsync(NodeRig.Patience);
        Assert.True(code == 0, $"it ended with {code}: {two.LastLines}");
    }

    [Fact]
    public async Task What_is_too_long_no_news_for_another_host_or_one_stream_too_many_is_refused()
    {
        string port = FreePort.Find().ToString(CultureInfo.InvariantCulture);
        await using ChildProcess feed = Start(
            FreePort.Find().ToString(CultureInfo.InvariantCulture), port, "--MaxStreams=1");
        using var http = new HttpClient { Timeout = NodeRig.Patience };
        await NodeRig.UntilAsync(() => IsReadyAsync(http, port), feed.LastLines);
        string url = $"http://127.0.0.1:{port}/news";
        (string Body, HttpStatusCode Expected)[] bodies =
        [
            ("{\"text\":\"" + new string('x', 20 << 10) + "\"}", HttpStatusCode.RequestEntityTooLarge),
            ("{\"text\":\"" + new string('x', 5 << 10) + "\"}", HttpStatusCode.BadRequest),
            ("{}", HttpStatusCode.BadRequest), ("{\"text\":null}", HttpStatusCode.BadRequest),
            ("{\"text\":\"\"}", HttpStatusCode.BadRequest), ("null", HttpStatusCode.BadRequest),
            ("{\"text\":\"hello\"}", HttpStatusCode.Accepted),
        ];
        foreach ((string body, HttpStatusCode expected) in bodies)
        {
            using var news = new StringContent(body, Encoding.UTF8, "application/json");
            using HttpResponseMessage posted = await http.PostAsync(url, news);
            Assert.True(expected == posted.StatusCode, $"{body[..Math.Min(body.Length, 20)]}: {posted.StatusCode}");
        }

        using var foreign = new HttpRequestMessage(HttpMethod.Get, $"http://127.0.0.1:{port}/ready");
        foreign.Headers.Host = "evil.example";
        using HttpResponseMessage refused = await http.SendAsync(foreign);
        Assert.Equal(HttpStatusCode.BadRequest, refused.StatusCode);

        // The first stream answers with its first event.
        Task<HttpResponseMessage> first = http.GetAsync(url, HttpCompletionOption.ResponseHeadersRead);
        await NodeRig.UntilAsync(
            async () =>
            {
                using var news = new StringContent("{\"text\":\"hello\"}", Encoding.UTF8, "application/json");
                using HttpResponseMessage posted = await http.PostAsync(url, news);
                return first.IsCompleted;
            },
            "the first stream is open");
        using HttpResponseMessage open = await first;
        Assert.Equal(HttpStatusCode.OK, open.StatusCode);
        using HttpResponseMessage second = await http.GetAsync(url, HttpCompletionOption.ResponseHeadersRead);
        Assert.Equal(HttpStatusCode.ServiceUnavailable, second.StatusCode);
    }

    [Fact]
    public async Task An_address_that_cannot_be_had_ends_it_with_a_line()
    {
        using var taken = new TcpListener(IPAddress.Loopback, 0);
        taken.Start();
        string port = ((IPEndPoint)taken.LocalEndpoint).Port.ToString(CultureInfo.InvariantCulture);
        foreach ((string wrong, string expected) in ((string, string)[])[
            (port, "address already in use"), ("99999", "Parameter 'port'")])
        {
            await using ChildProcess feed = Start(FreePort.Find().ToString(CultureInfo.InvariantCulture), wrong);
            Assert.Equal(1, await feed.Exit.WaitAsync(NodeRig.Patience));
            Assert.Contains(expected, feed.LastLines, StringComparison.Ordinal);
            Assert.DoesNotContain("Unhandled", feed.LastLines, StringComparison.Ordinal);
        }
    }

    private static ChildProcess Start(string membership, string port, params string[] more) => ChildProcess.Start(
        "WebFeed",
        Path.Combine(AppContext.BaseDirectory, "WebFeed.dll"),
        ["--urls", $"http://127.0.0.1:{port}", $"--QuickSilver:Membership:Port={membership}", .. more]);

    private static async Task<bool> IsReadyAsync(HttpClient http, string port)
    {
        try
        {
            return await http.GetStringAsync($"http://127.0.0.1:{port}/ready") is "Healthy" or "Degraded";
        }
        catch (HttpRequestException)
        {
            return false;
        }
    }
}
