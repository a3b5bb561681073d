// TwoSites: two clusters, and one group that spans them. Start it in two terminals:
//
//   dotnet run -c Release --project samples/TwoSites berlin
//   dotnet run -c Release --project samples/TwoSites tokyo
//
// One sees: each site prints the greetings of the other. Stop one and start it again: what was sent meanwhile comes
// then, if that was within half a minute. Real sites differ in three lines: the address, the file with the key that
// was copied to both, and clusters of more than one machine (docs/wide-area.md).

using System.Globalization;
using QuickSilver;
using QuickSilver.WideArea;

if (args is not [("berlin" or "tokyo") and var site, .. var rest] || rest.Length > 2)
{
    await Console.Error.WriteLineAsync("TwoSites takes the name of a site: berlin, or tokyo.");
    return 1;
}
string other = site == "berlin" ? "tokyo" : "berlin";
int first = rest.Length > 0 ? int.Parse(rest[0], CultureInfo.InvariantCulture) : SiteGatewayOptions.DefaultPort;
int PortOf(string name) => name == "berlin" ? first : first + 1;

// The key of the link: on one machine a file that the first of the two makes.
string keyFile = rest.Length > 1 ? rest[1] : Path.Combine(Path.GetTempPath(), $"two-sites-{Environment.UserName}.key");
try
{
    PreSharedKey.CreateFile(keyFile);
}
catch (IOException)
{
    // The other one has made it.
}

// The gateway has a node of its own; the application has another one, as any member of the site.
QuickSilverOptions Cluster(string name) => new() { ClusterName = $"two sites, {site}, {first}", NodeName = name };
await using QuickSilverNode gatewayNode = await QuickSilverNode.StartAsync(Cluster($"gateway of {site}"));
await using SiteGateway gateway = await SiteGateway.StartAsync(gatewayNode, new SiteGatewayOptions
{
    Site = site,
    Listen = $"127.0.0.1:{PortOf(site)}",
    Links = { new SiteLinkOptions { To = other, Address = $"127.0.0.1:{PortOf(other)}" } },
    Groups = { "greetings" },
    KeyFile = keyFile,
    NamesOrigins = true,
});

await using QuickSilverNode node = await QuickSilverNode.StartAsync(Cluster($"application of {site}"));
await using Group group = await node.JoinAsync("greetings", new GroupOptions { SelfDelivery = false });
using var stop = new CancellationTokenSource();
Console.CancelKeyPress += (_, key) =>
{
    key.Cancel = true;
    stop.Cancel();
};
Task reading = ReadAsync();
Console.WriteLine($"{site} runs, and waits for {other}.");
try
{
    await gateway.WaitForSitesAsync(stop.Token);
    TimeSpan roundTrip = gateway.GetStatistics().Links[0].RoundTrip;
    Console.WriteLine($"{other} is reached in {roundTrip.TotalMilliseconds:F1} ms, there and back.");
    for (int number = 1; ; number++)
    {
        await group.SendAsync($"hello {number} from {site}", stop.Token);
        await Task.Delay(TimeSpan.FromSeconds(1), stop.Token);
    }
}
catch (OperationCanceledException)
{
    await reading;
    return 0;
}

async Task ReadAsync()
{
    try
    {
        await foreach (Message message in group.ReadAllAsync(stop.Token))
        {
            ReadOnlyMemory<byte> body = SiteMessage.Read(message.Payload, out SiteOrigin? origin);
            string text = System.Text.Encoding.UTF8.GetString(body.Span);
            Console.WriteLine($"{text}, by {message.SenderName}, sent by {origin?.SenderName ?? message.SenderName}");
        }
    }
    catch (OperationCanceledException)
    {
        // Ctrl+C.
    }
}
