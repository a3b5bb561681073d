using System.Diagnostics;
using System.Globalization;
using QuickSilver.Tests.Networks;

namespace QuickSilver.WideArea.Tests;

/// <summary>
/// Two sites of processes in network namespaces, each with a node that serves the membership, two gateways and a
/// member. A gateway is killed as kill -9 does, under traffic in both directions.
/// </summary>
[Trait("needs", "nodes")]
public sealed class KilledGatewayTests
{
    private const int HostsOfSite = 4;
    private const int Rate = 500;
    private const int Count = 6000;

    [Fact]
    public async Task Another_process_takes_over_and_nothing_is_lost()
    {
        using NetworkNamespaces network = NetworkNamespaces.Make(hosts: 2 * HostsOfSite);
        string key = Path.Combine(Path.GetTempPath(), $"qs-sites-{Guid.NewGuid():N}.key");
        PreSharedKey.CreateFile(key);
        var nodes = new List<NetworkNode>();
        try
        {
            foreach (string site in new[] { "berlin", "tokyo" })
            {
                int first = FirstOf(site);
                await StartAsync(first, "server", "Membership:Mode=Host");
                for (int place = 1; place <= 2; place++)
                {
                    NetworkNode gateway = await StartAsync(
                        first + place, $"gateway-{place}", [Client(first), .. Gateway(site, key)]);
                    Assert.EndsWith(
                        place == 1 ? "active" : "standby", await gateway.AskAsync("gateway", "gateway "),
                        StringComparison.Ordinal);
                }
                NetworkNode member = await StartAsync(first + 3, "member", "Membership:Mode=Client", Client(first));
                await member.AskAsync("join news", "joined ");

                async Task<NetworkNode> StartAsync(int host, string name, params string[] options)
                {
                    NetworkNode node = NetworkNode.Launch(
                        network, host, $"{site}-{name}", [$"ClusterName={site}", .. options], "SiteMember.dll");
                    nodes.Add(node);
                    await node.AskAsync("start", "started ");
                    return node;
                }
            }
            NetworkNode killed = nodes[1], successor = nodes[2], berlin = nodes[3], tokyo = nodes[HostsOfSite + 3];
            await killed.AskAsync("active", "active");
            await nodes[HostsOfSite + 1].AskAsync("active", "active");
            foreach (NetworkNode member in new[] { berlin, tokyo }) await member.TellAsync($"send {Count} {Rate}");
            await NetworkNode.UntilAsync(async () => (await ReceivedAsync(tokyo)).Next > Rate);
            long start = Stopwatch.GetTimestamp();
            killed.Kill();
            await successor.TellAsync("active");
            await successor.WaitForAsync("log Warning 1718 ");
            TimeSpan taken = Stopwatch.GetElapsedTime(start);
            await successor.WaitForAsync("active");
            TimeSpan reached = Stopwatch.GetElapsedTime(start);
            await NetworkNode.UntilAsync(async () =>
                (await ReceivedAsync(tokyo)).Next == Count && (await ReceivedAsync(berlin)).Next == Count);
            Received outwards = await ReceivedAsync(tokyo), inwards = await ReceivedAsync(berlin);
            TestContext.Current.TestOutputHelper?.WriteLine(
                $"taken over {taken}, reached {reached}; outwards: {outwards}; inwards: {inwards}");
            Assert.Equal((0, 0), (outwards.Lost, outwards.Copies));
            Assert.Equal(0, inwards.Lost);
            // What was published and neither acknowledged nor told before the kill.
            Assert.InRange(inwards.Copies, 0, Count / 2);
        }
        finally
        {
            foreach (NetworkNode node in Enumerable.Reverse(nodes)) await node.DisposeAsync();
            File.Delete(key);
        }
    }

    private static int FirstOf(string site) => site == "berlin" ? 0 : HostsOfSite;

    private static string Client(int server) =>
        $"Membership:Servers:0={NetworkNamespaces.AddressOf(server)}:{NetworkNamespaces.ServerPort}";

    private static string[] Gateway(string site, string key)
    {
        string other = site == "berlin" ? "tokyo" : "berlin";
        int port = SiteGatewayOptions.DefaultPort, first = FirstOf(other);
        return
        [
            "Membership:Mode=Client", $"Gateway:Site={site}", "Gateway:Overlay=tests", "Gateway:Standby=true",
            $"Gateway:KeyFile={key}", "Gateway:Groups:0=news", $"Gateway:Links:0:To={other}",
            $"Gateway:Links:0:Address={NetworkNamespaces.AddressOf(first + 1)}:{port}",
            $"Gateway:Links:0:OtherAddresses:0={NetworkNamespaces.AddressOf(first + 2)}:{port}",
        ];
    }

    private static async Task<Received> ReceivedAsync(NetworkNode member)
    {
        long[] words = [.. (await member.AskAsync("received", "received ")).Split(' ').Skip(1)
            .Select(static word => long.Parse(word, CultureInfo.InvariantCulture))];
        return new Received(words[0], words[1], words[2], TimeSpan.FromMilliseconds(words[3]));
    }

    // Gap: the longest time between two messages.
    private sealed record Received(long Next, long Copies, long Lost, TimeSpan Gap);
}
