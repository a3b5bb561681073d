using System.Globalization;
using QuickSilver.Bench.Shaping;

namespace QuickSilver.Scenarios.Wide;

/// <summary>
/// Six sites in a ring, under traffic of all: the active gateway of one is killed, a link is cut, a site is cut off and
/// comes back, and a site is slow. Members check what comes, and the order of all sites.
/// </summary>
/// <param name="rate">Messages a second of each site, to the group and into the order.</param>
/// <param name="tell">Told what is being done.</param>
internal sealed class WideFaults(int rate, Action<string> tell) : IAsyncDisposable
{
    private const int KilledAt = 1;
    private const int CutOff = 5;
    private const int FloodBytes = 1000;
    private const double SlowBytesPerSecond = 1_500_000 / 8.0;
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(60);

    private readonly List<WideLink> _links =
        [.. WidePaper.Chain, new WideLink(0, CutOff, WidePaper.Chain[1].Way)];
    private readonly SiteProcess[] _members = new SiteProcess[WidePaper.Sites.Length];
    private readonly List<SiteProcess> _processes = [];
    private readonly WideTable _table = new(
        "Six sites in a ring: one fault after another", "fault", "longest time without messages of a site, s",
        "missing", "twice", "delivered in order meanwhile");

    private WideNetwork _network = null!;
    private SiteProcess _active = null!;

    /// <summary>What is wrong; empty when all promises held.</summary>
    public List<string> Failures { get; } = [];

    /// <summary>Runs all.</summary>
    public async Task<WideTable> RunAsync()
    {
        await StartAsync();
        foreach (SiteProcess member in _members) await member.AskAsync(Text($"send {rate}"), "sending");
        await DoAsync("none", 10, static () => Task.CompletedTask);
        await DoAsync("the active gateway of UCSB is killed", 15, () =>
        {
            _active.Kill();
            return Task.CompletedTask;
        });
        await DoAsync("the link from OSU to Rutgers is cut", 10, () => CutAsync(link => link.First == 2, isCut: true));
        await DoAsync("the same, and it is back", 5, () => CutAsync(link => link.First == 2, isCut: false));
        await DoAsync(
            "Hopkins is cut off", 20, () => CutAsync(link => link.Second == CutOff, isCut: true), without: CutOff);
        await DoAsync("the same, and it is back", 15, () => CutAsync(link => link.Second == CutOff, isCut: false));
        await FloodAsync();
        await CheckEndAsync();
        if (Failures.Count > 0)
        {
            foreach (SiteProcess process in _processes) tell(await process.StateAsync());
        }
        return _table;
    }

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        foreach (SiteProcess process in _processes) await process.DisposeAsync();
        _network?.Dispose();
    }

    private static string Text(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);

    private async Task StartAsync()
    {
        tell("six sites, one with two gateways");
        _network = new WideNetwork(WidePaper.Sites.Length, WideLinkKind.Hop);
        await CutAsync(static _ => true, isCut: false);
        SitePlan plan = SitePlan.Of(WidePaper.Sites, _links, WideLinkKind.Hop) with
        {
            TwoGatewaysAt = KilledAt,
            IsChecked = true,
        };
        for (int site = 0; site < _members.Length; site++)
        {
            SitePlan own = plan with { Site = site };
            if (site == KilledAt) own = own with { GatewayPort = 0 };
            _members[site] = await LaunchAsync(own);
        }
        // The member first: it serves the membership of its site.
        await _members[KilledAt].ReadyAsync();
        SitePlan gateway = plan with { Site = KilledAt, HasMember = false };
        _active = await LaunchAsync(gateway);
        await _active.ReadyAsync();
        SiteProcess standby = await LaunchAsync(gateway with { GatewayPort = SitePorts.Second });
        await standby.ReadyAsync();
        for (int site = 0; site < _members.Length; site++)
        {
            if (site != KilledAt) await _members[site].ReadyAsync();
        }
        await Task.Delay(TimeSpan.FromSeconds(2));
    }

    private async Task<SiteProcess> LaunchAsync(SitePlan plan)
    {
        SiteProcess process = await SiteProcess.StartAsync(plan, _network.PrefixOf(plan.Site));
        _processes.Add(process);
        return process;
    }

    private Task CutAsync(Func<WideLink, bool> which, bool isCut)
    {
        foreach (WideLink link in _links.Where(which))
            _network.Router.Shape(link.First, link.Second, link.Way with { IsCut = isCut });
        return Task.CompletedTask;
    }

    private async Task DoAsync(string fault, int seconds, Func<Task> act, int without = -1)
    {
        tell(fault);
        await TallyAsync(without: -1);
        double before = await OrderedAsync();
        await act();
        await Task.Delay(TimeSpan.FromSeconds(seconds));
        (double gap, double missing, double copies) = await TallyAsync(without);
        _table.Add(
            fault, Text($"{gap / 1000:F2}"), Text($"{missing}"), Text($"{copies}"),
            Text($"{await OrderedAsync() - before}"));
    }

    // Gaps since the last call; what is missing and what came twice, of all time.
    private async Task<(double Gap, double Missing, double Copies)> TallyAsync(int without)
    {
        double gap = 0, missing = 0, copies = 0;
        for (int site = 0; site < _members.Length; site++)
        {
            double[][] senders = [.. (await _members[site].AskAsync("tally", "tallied")).Chunk(4)];
            missing += senders.Sum(static one => one[2]);
            copies += senders.Sum(static one => one[1]);
            if (site == without) continue;
            gap = Math.Max(gap, senders.Where((_, sender) => sender != without).Max(static one => one[3]));
        }
        return (gap, missing, copies);
    }

    private async Task<double> OrderedAsync() => (await _members[0].AskAsync("ordered", "ordered"))[0];

    // All but the slow site could take ten megabits; the sender waits for it, and the others' messages are on time.
    private async Task FloodAsync()
    {
        foreach (WideLink link in _links.Where(static link => link.Second == CutOff))
        {
            _network.Router.Shape(
                link.First, link.Second, link.Way with { BytesPerSecond = SlowBytesPerSecond });
        }
        double before = 0;
        const int Seconds = 15;
        await DoAsync("Hopkins takes 1.5 Mbit/s, and Mae East sends as fast as it may", Seconds, async () =>
        {
            before = (await _members[2].AskAsync("count", "counted"))[0];
            await _members[0].AskAsync(Text($"flood {FloodBytes}"), "flooding");
        }, without: CutOff);
        double came = (await _members[2].AskAsync("count", "counted"))[0] - before;
        await _members[0].AskAsync("stop", "stopped");
        double missed = (await _members[0].AskAsync("missed", "missed"))[0];
        double megabits = came * FloodBytes * 8 / Seconds / 1e6;
        tell(Text($"of the flood {megabits:F2} Mbit/s came at OSU; {missed} messages were not forwarded"));
        if (missed > 0) Failures.Add(Text($"the gateway of Mae East did not forward {missed} messages"));
    }

    private async Task CheckEndAsync()
    {
        tell("all rest");
        double[] sent = new double[_members.Length];
        for (int site = 0; site < sent.Length; site++)
            sent[site] = (await _members[site].AskAsync("rest", "rested"))[0];
        long deadline = Environment.TickCount64 + (long)Patience.TotalMilliseconds;
        for (int site = 0; site < _members.Length; site++)
        {
            double[][] senders;
            bool isWhole;
            do
            {
                await Task.Delay(200);
                senders = [.. (await _members[site].AskAsync("tally", "tallied")).Chunk(4)];
                isWhole = !senders.Where((one, sender) => sender != site && one[0] <= sent[sender]).Any();
            }
            while (!isWhole && Environment.TickCount64 < deadline);
            if (!isWhole) Failures.Add($"{WidePaper.Sites[site]} lacks the last messages of some site");
            if (senders.Sum(static one => one[2]) is > 0 and var missing)
                Failures.Add(Text($"{WidePaper.Sites[site]} lacks {missing} messages"));
        }
        await CheckOrderAsync();
    }

    private async Task CheckOrderAsync()
    {
        var places = new Dictionary<ulong, long>();
        string file = Path.GetTempFileName();
        try
        {
            for (int site = 0; site < _members.Length; site++)
            {
                await _members[site].AskAsync($"write {file}", "written");
                ulong last = 0;
                var seen = new HashSet<long>();
                foreach (string[] words in File.ReadLines(file).Select(static line => line.Split(' ')))
                {
                    ulong place = ulong.Parse(words[0], CultureInfo.InvariantCulture);
                    long message = long.Parse(words[1], CultureInfo.InvariantCulture);
                    if (place < last) Failures.Add($"{WidePaper.Sites[site]} delivered {place} after {last}");
                    if (!seen.Add(message)) Failures.Add($"{WidePaper.Sites[site]} delivered {message} twice");
                    if (places.TryAdd(place, message) || places[place] == message) continue;
                    Failures.Add($"{WidePaper.Sites[site]} has another message at {place}");
                }
                double behind = (await _members[site].AskAsync("ordered", "ordered"))[1];
                tell(Text($"{WidePaper.Sites[site]}: {seen.Count} in order, told {behind} times that it lacks some"));
                if (site == CutOff ? behind == 0 : behind > 0)
                    Failures.Add(Text($"{WidePaper.Sites[site]} was told {behind} times that it lacks messages"));
            }
        }
        finally
        {
            File.Delete(file);
        }
    }
}
