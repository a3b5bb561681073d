using static QuickSilver.Scenarios.Wide.WideTable;

namespace QuickSilver.Scenarios.Wide;

/// <summary>Table 2 and figures 3 to 8: round trips over the chain of six sites, by each kind of link.</summary>
internal sealed class WideChain
{
    private const double SomeLoss = 0.01;
    private static readonly int[] Sizes = [64, 256, 512, 1024, 2048, 4096];
    private static readonly int[] Loads = [0, 100, 200, 300, 400];
    private static readonly string Near = WidePaper.Sites[0];
    private static readonly string Far = WidePaper.Sites[^1];

    private readonly int _echoes;
    private readonly WideLinkKind[] _kinds;
    private readonly Action<string> _tell;
    private readonly double[][] _pings = new double[WidePaper.Chain.Count][];
    private readonly Dictionary<(WideLinkKind Kind, string From, string To, double Loss), double[]> _trips = [];
    private readonly Dictionary<(WideLinkKind Kind, int Bytes), double[]> _sizes = [];
    private readonly Dictionary<(WideLinkKind Kind, int Load, double Loss), double[]> _loads = [];

    /// <summary>Makes one that has run nothing.</summary>
    /// <param name="echoes">Round trips of each figure.</param>
    /// <param name="kinds">Kinds of links.</param>
    /// <param name="tell">Told what is being run.</param>
    public WideChain(int echoes, WideLinkKind[] kinds, Action<string> tell) =>
        (_echoes, _kinds, _tell) = (echoes, kinds, tell);

    /// <summary>Runs all.</summary>
    public async Task<IReadOnlyList<WideTable>> RunAsync()
    {
        foreach (WideLinkKind kind in _kinds)
        {
            _tell($"the chain, links by {kind.NameOf()}");
            await using WideOverlay overlay = await WideOverlay.StartAsync(WidePaper.Sites, WidePaper.Chain, kind);
            // Methods are compiled, and paces are found.
            await overlay.AskAsync(Near, Far, _echoes, WidePaper.Bytes);
            for (int link = 0; link < _pings.Length; link++)
                _pings[link] ??= await overlay.PingAsync(WidePaper.Chain[link], _echoes, WidePaper.Bytes);
            foreach (int bytes in Sizes) _sizes[(kind, bytes)] = await overlay.AskAsync(Near, Far, _echoes, bytes);
            foreach (double loss in (double[])[0, SomeLoss])
            {
                overlay.Shape(loss);
                foreach (string to in WidePaper.Sites.Skip(1))
                    _trips[(kind, Near, to, loss)] = await overlay.AskAsync(Near, to, _echoes, WidePaper.Bytes);
                foreach (string to in WidePaper.Sites.SkipLast(1))
                    _trips[(kind, Far, to, loss)] = await overlay.AskAsync(Far, to, _echoes, WidePaper.Bytes);
                foreach (int load in Loads)
                {
                    await overlay.LoadAsync(Near, load * 1000);
                    await Task.Delay(TimeSpan.FromSeconds(2));
                    _loads[(kind, load, loss)] = await overlay.AskAsync(Near, Far, _echoes, WidePaper.Bytes);
                    await overlay.StopAsync(Near);
                }
            }
        }
        return [OneLink(), Along("Figures 3 and 4", Near), Along("Figures 5 and 6", Far), BySize(), ByLoad()];
    }

    private WideTable OneLink()
    {
        var table = new WideTable(
            "Table 2: Mae East to UCSB, ms",
            [
                "", "ping", .. _kinds.Select(WideLinkKinds.NameOf), .. _kinds.Select(NameAtLoss), "paper: ping", "TCP",
                "Hop",
            ]);
        Add("min", Enumerable.Min, "103.3", "108.9", "107.8");
        Add("mean", Enumerable.Average, "104.1", "136.3", "108.5");
        Add("max", Enumerable.Max, "106.8", "311.6", "110.9");
        return table;

        void Add(string what, Func<IEnumerable<double>, double> of, params string[] paper) => table.Add(
        [
            what, Ms(of(_pings[0])),
            .. _kinds.Select(kind => Ms(of(_trips[(kind, Near, "UCSB", 0)]))),
            .. _kinds.Select(kind => Ms(of(_trips[(kind, Near, "UCSB", SomeLoss)]))),
            .. paper,
        ]);
    }

    private WideTable Along(string title, string from)
    {
        string paper = from == Near ? "Hop 5 to 18 % more, TCP 38 to 66 %" : "falls with distance";
        var table = new WideTable(
            $"{title}: round trips from {from}, ms",
            [
                "to", "ping", .. _kinds.SelectMany(static kind => new[] { kind.NameOf(), "more" }), "spread: ping",
                .. _kinds.Select(WideLinkKinds.NameOf), .. _kinds.Select(NameAtLoss), "paper",
            ]);
        foreach (string to in from == Near ? WidePaper.Sites.Skip(1) : WidePaper.Sites.Reverse().Skip(1))
        {
            (double ping, double spread) = PingOf(from, to);
            table.Add(
            [
                to, Ms(ping),
                .. _kinds.SelectMany(kind =>
                {
                    double mean = _trips[(kind, from, to, 0)].Average();
                    return new[] { Ms(mean), Percent((mean / ping) - 1) };
                }),
                Ms(spread),
                .. _kinds.Select(kind => Ms(_trips[(kind, from, to, 0)].Max() - _trips[(kind, from, to, 0)].Min())),
                .. _kinds.Select(kind => Ms(_trips[(kind, from, to, SomeLoss)].Average())), paper,
            ]);
        }
        return table;
    }

    // The paper adds the pings of the links.
    private (double Mean, double Spread) PingOf(string from, string to)
    {
        int first = Array.IndexOf(WidePaper.Sites, from), last = Array.IndexOf(WidePaper.Sites, to);
        var links = _pings[Math.Min(first, last)..Math.Max(first, last)];
        return (links.Sum(static one => one.Average()), links.Sum(static one => one.Max() - one.Min()));
    }

    private WideTable BySize()
    {
        var table = new WideTable(
            "Figure 7: round trips Mae East to Hopkins by size, ms",
            ["bytes", .. _kinds.Select(WideLinkKinds.NameOf), "paper"]);
        foreach (int bytes in Sizes)
        {
            table.Add(
            [
                $"{bytes}", .. _kinds.Select(kind => Ms(_sizes[(kind, bytes)].Average())),
                "Hop by size alone, TCP climbs above 1,024",
            ]);
        }
        return table;
    }

    private WideTable ByLoad()
    {
        var table = new WideTable(
            "Figure 8: round trips Mae East to Hopkins beside other traffic, ms",
            ["kbit/s", .. _kinds.Select(WideLinkKinds.NameOf), .. _kinds.Select(NameAtLoss), "paper"]);
        foreach (int load in Loads)
        {
            table.Add(
            [
                $"{load}", .. _kinds.Select(kind => Ms(_loads[(kind, load, 0)].Average())),
                .. _kinds.Select(kind => Ms(_loads[(kind, load, SomeLoss)].Average())),
                load == Loads[^1] ? "Hop nearly flat, TCP some 1,500" : "Hop nearly flat, TCP climbs",
            ]);
        }
        return table;
    }

    private static string NameAtLoss(WideLinkKind kind) => $"{kind.NameOf()} at 1 % loss";
}
