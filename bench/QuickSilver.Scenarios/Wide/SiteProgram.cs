using System.Globalization;
using System.Net.NetworkInformation;
using System.Text.Json;
using Microsoft.Extensions.Logging.Abstractions;
using QuickSilver.Bench.Roles;
using QuickSilver.WideArea;

namespace QuickSilver.Scenarios.Wide;

/// <summary>
/// A site as a process: a node with its gateway, and a member. It is driven by lines on its standard input, and answers
/// each by one:
/// <code>
/// (the plan)                     ready
/// ping ADDRESS COUNT BYTES       pinged MS MS ...      the system's own echoes, one after another
/// ask SITE COUNT BYTES           asked MS MS ...       messages to a member of another site and back, likewise
/// load BITS                      loading               sends to the group beside, so many bits a second; 0: ends
/// flood BYTES                    flooding              sends as fast as sites take it
/// stop                           stopped
/// count                          counted N             messages of floods that have come, of this site's not
/// </code>
/// A command that throws is answered by "failed text".
/// </summary>
internal sealed class SiteProgram
{
    /// <summary>The command word that leads here.</summary>
    public const string Word = "site";

    private readonly SiteEcho _echo;
    private readonly SiteFlood _flood;

    private SiteProgram(SiteEcho echo, SiteFlood flood) => (_echo, _flood) = (echo, flood);

    /// <summary>Runs until its standard input is closed.</summary>
    public static async Task<int> RunAsync()
    {
        ParentDeath.EndWithParent();
        try
        {
            string order = await Console.In.ReadLineAsync() ?? "";
            SitePlan plan = JsonSerializer.Deserialize(order, SitePlanJson.Default.SitePlan)!;
            await using QuickSilverNode beside = await StartNodeAsync(plan, "gateway");
            await using QuickSilverNode member = await StartNodeAsync(plan, "member");
            await using SiteGateway gateway = await SiteGateway.StartAsync(beside, OptionsOf(plan));
            await gateway.WaitForSitesAsync();
            await using SiteEcho echo = await SiteEcho.JoinAsync(member, plan.Site);
            await using SiteFlood flood = await SiteFlood.JoinAsync(member);
            Console.WriteLine("ready");
            await new SiteProgram(echo, flood).ServeAsync();
            return 0;
        }
        catch (Exception failure)
        {
            Console.WriteLine($"failed {failure.ToString().ReplaceLineEndings(" ")}");
            return 1;
        }
    }

    private static async Task<QuickSilverNode> StartNodeAsync(SitePlan plan, string name)
    {
        var options = new QuickSilverOptions { ClusterName = plan.Names[plan.Site], NodeName = name };
        options.Membership.Mode = MembershipMode.Loopback;
        options.UseLoggerFactory(NullLoggerFactory.Instance);
        return await QuickSilverNode.StartAsync(options);
    }

    private static SiteGatewayOptions OptionsOf(SitePlan plan)
    {
        var options = new SiteGatewayOptions
        {
            Overlay = plan.Overlay,
            Site = plan.Names[plan.Site],
            Listen = $"{WideNetwork.AddressOf(plan.Site)}:{SiteGatewayOptions.DefaultPort}",
            Groups = { SiteEcho.GroupName, SiteFlood.GroupName, SiteFlood.LoadName },
        };
        options.UsePreSharedKey(PreSharedKey.FromBase64(plan.Key)).UseLoggerFactory(NullLoggerFactory.Instance);
        foreach (SitePlanLink link in plan.Links)
        {
            int other = link.First == plan.Site ? link.Second : link.First;
            options.Links.Add(new SiteLinkOptions
            {
                From = plan.Names[link.First],
                To = plan.Names[link.Second],
                Cost = TimeSpan.FromMilliseconds(link.CostMilliseconds),
                Address = $"{WideNetwork.AddressOf(other)}:{SiteGatewayOptions.DefaultPort}",
            });
        }
        return options;
    }

    private static async Task<string> PingAsync(string address, int count, int bytes)
    {
        using var ping = new Ping();
        var buffer = new byte[bytes];
        List<double> times = [];
        for (int number = 0; number < count; number++)
        {
            long start = System.Diagnostics.Stopwatch.GetTimestamp();
            PingReply reply = await ping.SendPingAsync(address, 5000, buffer);
            // The reply's own time is in whole milliseconds.
            if (reply.Status == IPStatus.Success)
                times.Add(System.Diagnostics.Stopwatch.GetElapsedTime(start).TotalMilliseconds);
        }
        return Text("pinged", times);
    }

    private static string Text(string word, IEnumerable<double> times) =>
        $"{word} {string.Join(' ', times.Select(static time => time.ToString("F3", CultureInfo.InvariantCulture)))}";

    private async Task ServeAsync()
    {
        while (await Console.In.ReadLineAsync() is { } line)
        {
            string[] words = line.Split(' ');
            Console.WriteLine(words switch
            {
                ["ping", var address, var count, var bytes] => await PingAsync(address, Number(count), Number(bytes)),
                ["ask", var site, var count, var bytes] =>
                    Text("asked", await _echo.AskAsync(Number(site), Number(count), Number(bytes))),
                ["load", var bits] => _flood.Load(Number(bits)),
                ["flood", var bytes] => _flood.Begin(Number(bytes)),
                ["stop"] => await _flood.EndAsync(),
                ["count"] => string.Create(CultureInfo.InvariantCulture, $"counted {_flood.Received}"),
                _ => $"failed unknown command '{line}'",
            });
        }
    }

    private static int Number(string word) => int.Parse(word, CultureInfo.InvariantCulture);
}
