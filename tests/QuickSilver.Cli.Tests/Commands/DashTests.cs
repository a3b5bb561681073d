using System.Net;

namespace QuickSilver.Cli.Tests.Commands;

[Trait("needs", "nodes")]
public sealed class DashTests
{
    [Fact]
    public async Task The_page_tells_of_the_nodes_of_the_cluster_and_of_no_host_that_is_not_this_one()
    {
        string cluster = ToolRun.NewCluster();
        await using ToolRun sub = ToolRun.Start("sub", "news", "-c", cluster, "--name", "reader", "--json");
        await sub.ItemAsync("joined");
        await using ToolRun dash = ToolRun.Start("dash", "-c", cluster, "--listen", "127.0.0.1:0", "--json");
        string address = (await dash.ItemAsync("dashboard")).GetProperty("address").GetString()!;

        using var browser = new HttpClient { BaseAddress = new Uri(address), Timeout = ToolRun.Patience };
        CancellationToken stop = TestContext.Current.CancellationToken;
        Assert.Contains("<title>", await browser.GetStringAsync("", stop), StringComparison.Ordinal);
        string nodes = "";
        await dash.UntilAsync(
            async () =>
            {
                using HttpResponseMessage answer = await browser.GetAsync("api/nodes", stop);
                nodes = await answer.Content.ReadAsStringAsync(stop);
                return nodes.Contains("reader", StringComparison.Ordinal);
            },
            "the node is shown");

        using var foreign = new HttpRequestMessage(HttpMethod.Get, "");
        foreign.Headers.Host = "elsewhere.example";
        using HttpResponseMessage refused = await browser.SendAsync(foreign, stop);
        Assert.Equal(HttpStatusCode.BadRequest, refused.StatusCode);
        Assert.Equal(0, await dash.InterruptAsync());
    }

    [Fact]
    public async Task An_address_that_is_none_is_refused()
    {
        (int code, _, string all) = await ToolRun.RunAsync("dash", "--listen", "nowhere");
        Assert.Equal(1, code);
        Assert.Contains("'nowhere' is no ADDRESS:PORT", all, StringComparison.Ordinal);
    }
}
