using QuickSilver.Bench.Shaping;

namespace QuickSilver.Scenarios.Wide;

/// <summary>The sites of the third paper, and what lies between them. The paper gives the first round trip of the chain
/// alone, and no rates; the others stand in.</summary>
internal static class WidePaper
{
    /// <summary>The sites, in the order of the chain.</summary>
    public static readonly string[] Sites = ["Mae East", "UCSB", "OSU", "Rutgers", "CNDS", "Hopkins"];

    /// <summary>Losses of Tables 3 and 4.</summary>
    public static readonly double[] Losses = [0, 0.05, 0.1, 0.2];

    /// <summary>Bytes of a message.</summary>
    public const int Bytes = 1024;

    private const double Megabit = 1_000_000 / 8.0;
    private const double NarrowMegabits = 1.6;
    private static readonly double[] RoundTrips = [104, 70, 30, 8, 1];

    /// <summary>The chain of figures 3 to 8: ten megabits a second.</summary>
    public static IReadOnlyList<WideLink> Chain { get; } =
        [.. RoundTrips.Select(static (roundTrip, index) => new WideLink(index, index + 1, Way(roundTrip, 10)))];

    /// <summary>The tree of Table 4.</summary>
    public static IReadOnlyList<WideLink> Tree { get; } = TreeOf(10);

    /// <summary>The same, as narrow as the links of Table 1.</summary>
    public static IReadOnlyList<WideLink> NarrowTree { get; } = TreeOf(NarrowMegabits);

    /// <summary>A link from each site to each other: the delay is that along the tree, and what a site sends shares its
    /// uplink.</summary>
    public static IReadOnlyList<WideLink> Fanout { get; } = MakeFanout();

    /// <summary>What a site sends in the runs of Table 1, wherever it goes. CNDS is well connected, says the paper.
    /// </summary>
    public static WayShape UplinkOf(string site) => new()
    {
        BytesPerSecond = (site == "CNDS" ? 10 : NarrowMegabits) * Megabit,
    };

    /// <summary>The link of Tables 2 and 3.</summary>
    public static WideLink Link(double megabits) => new(0, 1, Way(RoundTrips[0], megabits));

    // Jitter as that of the paper's pings, three percent.
    private static WayShape Way(double roundTrip, double megabits) => new()
    {
        Delay = TimeSpan.FromMilliseconds(roundTrip / 2),
        Jitter = TimeSpan.FromMilliseconds(roundTrip * 0.015),
        KeepsOrder = true,
        LosesBehind = true,
        BytesPerSecond = megabits * Megabit,
    };

    private static IReadOnlyList<WideLink> TreeOf(double megabits) =>
    [
        new(0, 1, Way(104, megabits)), new(0, 3, Way(8, megabits)), new(1, 2, Way(70, megabits)),
        new(3, 4, Way(8, megabits)), new(4, 5, Way(1, megabits)),
    ];

    private static List<WideLink> MakeFanout()
    {
        var delays = new double[Sites.Length, Sites.Length];
        foreach (WideLink link in Tree)
        {
            double delay = link.Way.Delay.TotalMilliseconds;
            for (int other = 0; other < Sites.Length; other++)
            {
                // Links of the tree come in an order in which the first end is known already.
                if (other == link.Second || (other != link.First && delays[link.First, other] == 0)) continue;
                delays[link.Second, other] = delays[other, link.Second] = delays[link.First, other] + delay;
            }
        }
        var links = new List<WideLink>();
        for (int first = 0; first < Sites.Length; first++)
        {
            for (int second = first + 1; second < Sites.Length; second++)
                links.Add(new WideLink(first, second, Way(2 * delays[first, second], NarrowMegabits)));
        }
        return links;
    }
}
