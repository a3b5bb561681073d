using System.Diagnostics;
using System.Globalization;
using System.Net.NetworkInformation;
using System.Text.Json;
using QuickSilver.WideArea;

namespace QuickSilver.Scenarios.Wide;

/// <summary>
/// A site as a process, or a part of one: a node with its gateway, and a member. It is driven by lines on its standard
/// input, and answers each by one:
/// <code>
/// (the plan)                     ready, or: ready standby
/// ping ADDRESS COUNT BYTES       pinged MS MS ...      the system's own echoes, one after another
/// ask SITE COUNT BYTES           asked MS MS ...       messages to a member of another site and back, likewise
/// load BITS                      loading               sends to the group beside, so many bits a second; 0: none
/// flood BYTES                    flooding              sends as fast as sites take it
/// stop                           stopped               ends a load or a flood
/// count                          counted N             messages of floods that have come
/// missed                         missed N              messages that the gateway did not forward
/// state                          state text            links, routes and order, for a person
/// send RATE, rest, tally, ordered, write FILE          of checked sites: <see cref="SiteTally"/>
/// </code>
/// A command that throws ends it, and is answered by "failed text".
/// </summary>
internal sealed class SiteProgram
{
    /// <summary>The command word that leads here.</summary>
    public const string Word = "site";

    private static readonly TimeSpan LeftOutAfter = TimeSpan.FromSeconds(5);

    private SiteGateway? _gateway;
    private SiteEcho? _echo;
    private SiteFlood? _flood;
    private SiteTally? _tally;

    /// <summary>Runs until its standard input is closed.</summary>
    public static async Task<int> RunAsync()
    {
        try
        {
            string order = await Console.In.ReadLineAsync() ?? "";
            await new SiteProgram().RunAsync(JsonSerializer.Deserialize(order, SitePlanJson.Default.SitePlan)!);
            return 0;
        }
        catch (Exception failure)
        {
            Console.WriteLine($"failed {failure.ToString().ReplaceLineEndings(" ")}");
            return 1;
        }
    }

    private async Task RunAsync(SitePlan plan)
    {
        await using QuickSilverNode? member = plan.HasMember ? await StartNodeAsync(plan, "member") : null;
        await using QuickSilverNode? beside = plan.GatewayPort > 0
            ? await StartNodeAsync(plan, $"gateway {plan.GatewayPort}") : null;
        await using SiteGateway? gateway = _gateway =
            beside is null ? null : await SiteGateway.StartAsync(beside, OptionsOf(plan));
        bool isActive = gateway?.GetStatistics().IsActive ?? true;
        if (isActive && gateway is not null) await gateway.WaitForSitesAsync();
        bool measures = member is not null && !plan.IsChecked;
        await using SiteEcho? echo = _echo = measures ? await SiteEcho.JoinAsync(member!, plan.Site) : null;
        await using SiteFlood? flood = _flood = member is not null ? await SiteFlood.JoinAsync(member) : null;
        await using SiteTally? tally = _tally =
            member is not null && plan.IsChecked ? await SiteTally.JoinAsync(member, plan) : null;
        Console.WriteLine(isActive ? "ready" : "ready standby");
        while (await Console.In.ReadLineAsync() is { } line) Console.WriteLine(await AnswerAsync(line));
    }

    private async Task<string> AnswerAsync(string line) => line.Split(' ') switch
    {
        ["ping", var address, var count, var bytes] => await PingAsync(address, Number(count), Number(bytes)),
        ["ask", var site, var count, var bytes] =>
            Text("asked", await _echo!.AskAsync(Number(site), Number(count), Number(bytes))),
        ["load", var bits] => _flood!.Load(Number(bits)),
        ["flood", var bytes] => _flood!.Begin(Number(bytes)),
        ["stop"] => await _flood!.EndAsync(),
        ["count"] => Text("counted", [_flood!.Received]),
        ["missed"] => Text("missed", [_gateway!.GetStatistics().MessagesMissed]),
        ["state"] => $"state {StateText()}",
        ["send", var rate] => _tally!.Send(Number(rate)),
        ["rest"] => await _tally!.EndAsync(),
        ["tally"] => _tally!.Tally(),
        ["ordered"] => _tally!.CountOrdered(),
        ["write", var file] => await _tally!.WriteAsync(file),
        _ => $"failed unknown command '{line}'",
    };

    private static async Task<QuickSilverNode> StartNodeAsync(SitePlan plan, string name)
    {
        var options = new QuickSilverOptions { ClusterName = plan.Names[plan.Site], NodeName = name };
        options.Membership.Mode = MembershipMode.Loopback;
        return await QuickSilverNode.StartAsync(options);
    }

    private static SiteGatewayOptions OptionsOf(SitePlan plan)
    {
        var options = new SiteGatewayOptions
        {
            Overlay = plan.Overlay,
            Site = plan.Names[plan.Site],
            Listen = AddressOf(plan.Site, plan.GatewayPort),
            Groups = { SiteFlood.GroupName, SiteFlood.LoadName },
            Standby = plan.TwoGatewaysAt == plan.Site,
            OrdersGroups = plan.IsChecked,
        };
        options.Groups.Add(plan.IsChecked ? SiteTally.GroupName : SiteEcho.GroupName);
        if (plan.IsChecked) (options.CutPolicy, options.LeaveOutAfter) = (SiteCutPolicy.Majority, LeftOutAfter);
        if (plan.Certificates is { } folder)
        {
            options.CertificateFile = WideCertificates.CertificateIn(folder);
            options.CertificateKeyFile = WideCertificates.KeyIn(folder);
            options.TrustedRootsFile = WideCertificates.RootsIn(folder);
        }
        options.UsePreSharedKey(PreSharedKey.FromBase64(plan.Key));
        foreach (SitePlanLink link in plan.Links)
        {
            int other = link.First == plan.Site ? link.Second : link.First;
            var made = new SiteLinkOptions
            {
                From = plan.Names[link.First],
                To = plan.Names[link.Second],
                Cost = TimeSpan.FromMilliseconds(link.CostMilliseconds),
                Address = AddressOf(other, SitePorts.First),
            };
            if (plan.Kind != WideLinkKind.Hop)
                (made.Transport, made.CertificateName) = (SiteLinkTransport.Tcp, WideCertificates.Name);
            if (other == plan.TwoGatewaysAt) made.OtherAddresses.Add(AddressOf(other, SitePorts.Second));
            options.Links.Add(made);
        }
        return options;
    }

    private static string AddressOf(int site, int port) =>
        string.Create(CultureInfo.InvariantCulture, $"{WideNetwork.AddressOf(site)}:{port}");

    private static async Task<string> PingAsync(string address, int count, int bytes)
    {
        using var ping = new Ping();
        var buffer = new byte[bytes];
        List<double> times = [];
        for (int number = 0; number < count; number++)
        {
            long start = Stopwatch.GetTimestamp();
            PingReply reply = await ping.SendPingAsync(address, 5000, buffer);
            // The reply's own time is in whole milliseconds.
            if (reply.Status == IPStatus.Success) times.Add(Stopwatch.GetElapsedTime(start).TotalMilliseconds);
        }
        return Text("pinged", times);
    }

    private static string Text(string word, IEnumerable<double> values) =>
        $"{word} {string.Join(' ', values.Select(static value => value.ToString("F3", CultureInfo.InvariantCulture)))}";

    private string StateText()
    {
        string gateway = _gateway?.GetStatistics() is { } figures
            ? $"{string.Join(' ', figures.Links)} | {string.Join(' ', figures.Routes)} | {figures.Order}"
            : "no gateway";
        return $"{gateway} | {_tally?.StateText()}";
    }

    private static int Number(string word) => int.Parse(word, CultureInfo.InvariantCulture);
}
