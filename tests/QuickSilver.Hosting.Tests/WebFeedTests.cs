using System.Globalization;
using System.Net;
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

    private static ChildProcess Start(string membership, string port) => ChildProcess.Start(
        "WebFeed",
        Path.Combine(AppContext.BaseDirectory, "WebFeed.dll"),
        ["--urls", $"http://127.0.0.1:{port}", $"--QuickSilver:Membership:Port={membership}"]);

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
