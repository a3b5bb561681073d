using System.Net;
using System.Net.Http.Headers;
using System.Text.Json;
using Microsoft.AspNetCore.Builder;
using QuickSilver.Dashboard.Web;
using QuickSilver.Tests.Repository;

namespace QuickSilver.Dashboard.Tests;

/// <summary>The addresses of a dashboard: what is there, what is not, and with which headers.</summary>
public sealed class RouteTests
{
    private const string Html = "text/html";

    [Theory]
    [InlineData("/quicksilver")]
    [InlineData("/")]
    [InlineData("")]
    [InlineData("/ops/clusters/first one")]
    public async Task The_page_and_its_files_are_there_under_any_prefix(string prefix)
    {
        await using DashboardApp app = await DashboardApp.StartAsync(new FakeCluster(2, 1), prefix);
        using HttpResponseMessage page = await app.Http.GetAsync("");
        Assert.Equal(HttpStatusCode.OK, page.StatusCode);
        Assert.Equal(Html, page.Content.Headers.ContentType?.MediaType);
        foreach (string name in Asset.Names.Where(static name => name != "index.html"))
        {
            using HttpResponseMessage file = await app.Http.GetAsync($"assets/{name}");
            Assert.True(file.StatusCode == HttpStatusCode.OK, name);
        }
        using HttpResponseMessage cluster = await app.Http.GetAsync("api/cluster");
        Assert.Equal(HttpStatusCode.OK, cluster.StatusCode);
    }

    [Fact]
    public async Task Without_its_slash_the_page_sends_browsers_to_its_folder_by_a_relative_address()
    {
        await using DashboardApp app = await DashboardApp.StartAsync(new FakeCluster(2, 1), "/a b/quicksilver");
        using HttpResponseMessage answer = await app.Http.GetAsync("../quicksilver?nodeSort=sent");
        Assert.Equal(HttpStatusCode.TemporaryRedirect, answer.StatusCode);
        Assert.Equal("./quicksilver/?nodeSort=sent", answer.Headers.Location?.OriginalString);
    }

    [Fact]
    public async Task Every_answer_has_a_strict_policy()
    {
        await using DashboardApp app = await DashboardApp.StartAsync(new FakeCluster(2, 1));
        string[] addresses =
        [
            "", "../quicksilver", "assets/js/main.js", "assets/none", "api/cluster", "api/history", "api/nodes",
            "api/nodes?page=x", "api/nodes/none", "api/groups", "api/group?name=none", "events", "events?nodePage=-1",
        ];
        foreach (string address in addresses)
        {
            using HttpResponseMessage answer = await app.Http.GetAsync(
                address, HttpCompletionOption.ResponseHeadersRead);
            string policy = Assert.Single(answer.Headers.GetValues("Content-Security-Policy"));
            foreach (string rule in (string[])[
                "default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'",
                "frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'"])
                Assert.Contains(rule, policy.Split("; "));
            Assert.DoesNotContain("unsafe", policy, StringComparison.Ordinal);
            Assert.Equal("nosniff", Assert.Single(answer.Headers.GetValues("X-Content-Type-Options")));
            Assert.Equal("no-referrer", Assert.Single(answer.Headers.GetValues("Referrer-Policy")));
            Assert.True(answer.Headers.CacheControl is { NoStore: true } or { NoCache: true }, address);
        }
    }

    [Fact]
    public async Task A_file_that_has_not_changed_is_not_sent_again()
    {
        await using DashboardApp app = await DashboardApp.StartAsync(new FakeCluster(2, 1));
        using HttpResponseMessage first = await app.Http.GetAsync("assets/js/main.js");
        EntityTagHeaderValue tag = first.Headers.ETag!;
        using var again = new HttpRequestMessage(HttpMethod.Get, "assets/js/main.js");
        again.Headers.IfNoneMatch.Add(tag);
        using HttpResponseMessage second = await app.Http.SendAsync(again);
        Assert.Equal(HttpStatusCode.NotModified, second.StatusCode);
        Assert.Empty(await second.Content.ReadAsByteArrayAsync());

        using var other = new HttpRequestMessage(HttpMethod.Get, "assets/js/main.js");
        other.Headers.IfNoneMatch.Add(new EntityTagHeaderValue("\"other\""));
        using HttpResponseMessage third = await app.Http.SendAsync(other);
        Assert.Equal(HttpStatusCode.OK, third.StatusCode);

        using var head = new HttpRequestMessage(HttpMethod.Head, "");
        using HttpResponseMessage headers = await app.Http.SendAsync(head);
        Assert.Equal(HttpStatusCode.OK, headers.StatusCode);
        Assert.True(headers.Content.Headers.ContentLength > 0);
    }

    [Theory]
    [InlineData("api/nodes/10.9.9.9:15001/7")]
    [InlineData("api/nodes/%2e%2e%2fsecret")]
    [InlineData("api/group?name=none")]
    [InlineData("api/group")]
    [InlineData("assets/none.js")]
    [InlineData("assets/index.html")]
    [InlineData("assets/..%2f..%2fetc/passwd")]
    public async Task What_is_not_there_is_a_problem_and_disturbs_nothing(string address)
    {
        await using DashboardApp app = await DashboardApp.StartAsync(new FakeCluster(2, 1));
        using EventReader stream = await app.FollowAsync();
        await stream.FrameAsync();
        using HttpResponseMessage answer = await app.Http.GetAsync(address);
        Assert.Equal(HttpStatusCode.NotFound, answer.StatusCode);
        Assert.Equal("application/problem+json", answer.Content.Headers.ContentType?.MediaType);
        JsonElement problem = JsonElement.Parse(await answer.Content.ReadAsStringAsync());
        Assert.Equal(404, problem.GetProperty("status").GetInt32());
        using HttpResponseMessage other = await app.Http.GetAsync("api/nodes");
        Assert.Equal(HttpStatusCode.OK, other.StatusCode);
        Assert.Equal(1, app.Limit.Open);
    }

    [Theory]
    [InlineData("api/nodes?page=-1")]
    [InlineData("api/nodes?page=1234567")]
    [InlineData("api/nodes?page=1&page=2")]
    [InlineData("api/nodes?sort=colour")]
    [InlineData("api/groups?sort=token")]
    [InlineData("events?groupSort=x")]
    public async Task A_wrong_question_is_refused(string address)
    {
        await using DashboardApp app = await DashboardApp.StartAsync(new FakeCluster(2, 1));
        using HttpResponseMessage answer = await app.Http.GetAsync(address);
        Assert.Equal(HttpStatusCode.BadRequest, answer.StatusCode);
        Assert.Equal("application/problem+json", answer.Content.Headers.ContentType?.MediaType);
    }

    [Fact]
    public async Task The_host_adds_its_own_conventions()
    {
        await using DashboardApp app = await DashboardApp.StartAsync(
            new FakeCluster(2, 1), convene: static group => group.RequireHost("desk.example"));
        foreach (string address in (string[])["", "assets/js/main.js", "api/cluster", "events"])
        {
            using HttpResponseMessage answer = await app.Http.GetAsync(address);
            Assert.Equal(HttpStatusCode.NotFound, answer.StatusCode);
        }
    }

    [Fact]
    public void The_page_has_no_script_or_style_of_its_own_and_fetches_nothing_from_elsewhere()
    {
        string folder = SourceTree.PathOf("src/QuickSilver.Dashboard/Assets");
        foreach (string file in Directory.EnumerateFiles(folder, "*", SearchOption.AllDirectories))
        {
            string text = File.ReadAllText(file);
            if (Path.GetFileName(file) == "LICENSE") continue;
            string others = text.Replace("http://www.w3.org/2000/svg", "", StringComparison.Ordinal);
            Assert.DoesNotContain("http:", others, StringComparison.Ordinal);
            Assert.DoesNotContain("@import", others, StringComparison.Ordinal);
            if (file.Contains("uPlot", StringComparison.Ordinal)) continue;
            Assert.DoesNotContain("https:", others, StringComparison.Ordinal);
            foreach (string word in (string[])[
                "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "<style", " style=",
                "onclick="])
                Assert.DoesNotContain(word, others, StringComparison.Ordinal);
            Assert.All(text.Split('\n'), static line => Assert.InRange(line.Length, 0, 120));
        }
        string page = File.ReadAllText(Path.Combine(folder, "index.html"));
        Assert.DoesNotContain("<script>", page, StringComparison.Ordinal);
    }
}
