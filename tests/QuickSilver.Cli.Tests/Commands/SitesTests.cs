using System.Globalization;
using System.Security.Cryptography;
using System.Text.Json;
using QuickSilver.Bench.Processes;
using QuickSilver.WideArea;

namespace QuickSilver.Cli.Tests.Commands;

/// <summary>What the tool tells of other sites, beside gateways of this process.</summary>
[Trait("needs", "nodes")]
public sealed class SitesTests
{
    private readonly string _key = Convert.ToBase64String(RandomNumberGenerator.GetBytes(32));

    [Fact]
    public async Task Other_sites_and_links_are_told()
    {
        string cluster = ToolRun.NewCluster();
        await using QuickSilverNode berlin = await QuickSilverNode.StartAsync(ToolRun.OptionsOf(cluster));
        await using QuickSilverNode tokyo = await QuickSilverNode.StartAsync(ToolRun.OptionsOf(ToolRun.NewCluster()));
        (string near, string far) = (PlaceOf(FreePort.Find()), PlaceOf(FreePort.Find()));
        await using SiteGateway there = await SiteGateway.StartAsync(tokyo, OptionsOf("tokyo", far, "berlin", near));
        await using SiteGateway here = await SiteGateway.StartAsync(berlin, OptionsOf("berlin", near, "tokyo", far));
        using var limit = new CancellationTokenSource(ToolRun.Patience);
        await here.WaitForSitesAsync(limit.Token);

        (int code, IReadOnlyList<string> lines, string all) = await ToolRun.RunAsync(
            "sites", "-c", cluster, "--seconds", "20", "--json");
        Assert.True(code == 0, all);
        JsonElement site = ToolRun.Parse(Assert.Single(lines));
        Assert.Equal(
            ("tokyo", "tokyo", "Up", "Udp"),
            (Text(site, "site"), Text(site, "via"), Text(site, "state"), Text(site, "transport")));
        (_, lines, all) = await ToolRun.RunAsync("doctor", "-c", cluster, "--json");
        JsonElement finding = lines.Select(ToolRun.Parse)
            .First(static item => Text(item, "type") == "finding" && Text(item, "check") == "sites");
        Assert.Equal("The gateway reaches 'tokyo'.", Text(finding, "what"));

        await there.DisposeAsync();
        while (here.GetStatistics().Routes[0].Via is not null) await Task.Delay(20, limit.Token);
        (code, lines, all) = await ToolRun.RunAsync("sites", "-c", cluster, "--seconds", "20");
        Assert.True(code == 4, all);
        Assert.Contains(lines, static line => line.StartsWith("tokyo  not reached  Udp", StringComparison.Ordinal));
    }

    [Fact]
    public async Task A_cluster_without_a_gateway_says_so()
    {
        (int code, _, string all) = await ToolRun.RunAsync("sites", "-c", ToolRun.NewCluster(), "--seconds", "0.5");
        Assert.Equal(2, code);
        Assert.Contains("No gateway of a site was heard", all, StringComparison.Ordinal);
    }

    private SiteGatewayOptions OptionsOf(string site, string place, string other, string otherPlace)
    {
        var options = new SiteGatewayOptions
        {
            Site = site,
            Listen = place,
            Groups = { "news" },
            Links = { new SiteLinkOptions { To = other, Address = otherPlace } },
        };
        options.UsePreSharedKey(PreSharedKey.FromBase64(_key));
        return options;
    }

    private static string PlaceOf(int port) => string.Create(CultureInfo.InvariantCulture, $"127.0.0.1:{port}");

    private static string? Text(JsonElement item, string name) => item.GetProperty(name).GetString();
}
