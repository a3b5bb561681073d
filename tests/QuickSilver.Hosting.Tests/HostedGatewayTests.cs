using System.Globalization;
using System.Net;
using System.Net.Sockets;
using System.Text;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;
using QuickSilver.Tests.Api;

namespace QuickSilver.Hosting.Tests;

/// <summary>Gateways between sites that live as long as their hosts.</summary>
public sealed class HostedGatewayTests
{
    private const string Key = "gateway";

    [Fact]
    public async Task Hosts_of_two_sites_share_a_group_and_tell_when_the_other_is_gone()
    {
        string file = Path.Combine(Path.GetTempPath(), $"{Guid.NewGuid():N}.key");
        PreSharedKey.CreateFile(file);
        int[] ports = FreePorts();
        try
        {
            await using HostRig berlinRig = new(), tokyoRig = new();
            IHost berlin = await StartAsync(berlinRig, "berlin", "tokyo", file, ports[0], ports[1]);
            IHost tokyo = await StartAsync(tokyoRig, "tokyo", "berlin", file, ports[1], ports[0]);
            IQuickSilverGateway gateway = berlin.Services.GetRequiredKeyedService<IQuickSilverGateway>(Key);
            Assert.Equal("berlin", gateway.Current?.Site);
            await (await gateway.GetGatewayAsync()).WaitForSitesAsync().WaitAsync(NodeRig.Patience);
            await using QuickSilverNode member = await tokyoRig.StartNodeAsync();
            await using Group news = await member.JoinAsync("news");
            await using QuickSilverNode author = await berlinRig.StartNodeAsync();
            await using Group sent = await author.JoinAsync("news");
            // Until both gateways are seen, and have told each other of members.
            for (int copy = 0; copy < 3; copy++)
            {
                await sent.SendAsync("good"u8.ToArray());
                await Task.Delay(200);
            }
            Message first = await news.ReadAllAsync().FirstAsync().AsTask().WaitAsync(NodeRig.Patience);
            Assert.Equal("good", Encoding.UTF8.GetString(first.Payload.Span));

            await tokyo.StopAsync();
            var health = berlin.Services.GetRequiredService<HealthCheckService>();
            await NodeRig.UntilAsync(
                async () => (await health.CheckHealthAsync()).Entries.Single().Value is
                { Status: HealthStatus.Degraded, Description: { } text }
                    && text.Contains("site 'tokyo' is out of reach", StringComparison.Ordinal),
                "the check names the site");
            await berlin.StopAsync();
            Assert.True(gateway.Current!.Completion.IsCompletedSuccessfully);
        }
        finally
        {
            File.Delete(file);
        }
    }

    [Fact]
    public async Task Mistakes_in_the_section_of_a_gateway_are_told_by_their_paths()
    {
        await using var rig = new HostRig();
        IHost host = rig.Build(
            static services => services.AddQuickSilver().AddSiteGateway(static options => options.Groups.Add("news")),
            ("QuickSilver:Gateway:Site", "berlin"),
            ("QuickSilver:Gateway:Sight", "tokyo"),
            ("QuickSilver:Gateway:CutPolicy", "Guess"),
            ("QuickSilver:Gateway:Links:0:To", "tokyo"),
            ("QuickSilver:Gateway:Links:0:Adress", "10.0.0.5:16900"));
        OptionsValidationException refusal = await Assert.ThrowsAsync<OptionsValidationException>(
            () => host.StartAsync());
        foreach (string path in (string[])["Sight", "CutPolicy", "Links", "KeyFile"])
            Assert.Contains(refusal.Failures, one => one.StartsWith($"Gateway.{path}:", StringComparison.Ordinal));
        Assert.Contains("Gateway.Links: there is no such option: 'Adress'", refusal.Failures);
        Assert.Contains("Gateway.CutPolicy: does not fit: it is one of Wait, Majority, GoOn", refusal.Failures);
    }

    [Fact]
    public async Task A_section_without_a_gateway_is_a_mistake()
    {
        await using var rig = new HostRig();
        IHost host = rig.Build(
            static services => services.AddQuickSilver(), ("QuickSilver:Gateway:Site", "berlin"));
        OptionsValidationException refusal = await Assert.ThrowsAsync<OptionsValidationException>(
            () => host.StartAsync());
        Assert.Equal(
            ["Gateway: the gateway is not registered at this node: call AddSiteGateway()"], refusal.Failures);
    }

    private static Task<IHost> StartAsync(
        HostRig rig, string site, string other, string keyFile, int port, int otherPort) => rig.StartAsync(
        services =>
        {
            services.AddKeyedQuickSilver(Key, rig.Here)
                .AddSiteGateway(static options => options.Groups.Add("news"))
                .AddHealthCheck();
        },
        ($"QuickSilver:{Key}:Gateway:Site", site),
        ($"QuickSilver:{Key}:Gateway:Listen", At(port)),
        ($"QuickSilver:{Key}:Gateway:KeyFile", keyFile),
        ($"QuickSilver:{Key}:Gateway:Links:0:To", other),
        ($"QuickSilver:{Key}:Gateway:Links:0:Address", At(otherPort)));

    private static string At(int port) => string.Create(CultureInfo.InvariantCulture, $"127.0.0.1:{port}");

    private static int[] FreePorts()
    {
        UdpClient[] taken = [Bound(), Bound()];
        int[] ports = [.. taken.Select(static one => ((IPEndPoint)one.Client.LocalEndPoint!).Port)];
        foreach (UdpClient one in taken) one.Dispose();
        return ports;

        static UdpClient Bound() => new(new IPEndPoint(IPAddress.Loopback, 0));
    }
}
