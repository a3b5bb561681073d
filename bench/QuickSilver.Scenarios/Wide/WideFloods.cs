using static QuickSilver.Scenarios.Wide.WideTable;

namespace QuickSilver.Scenarios.Wide;

/// <summary>Tables 1, 3 and 4: what links carry, by each kind.</summary>
/// <param name="kinds">Kinds of links.</param>
/// <param name="warmUp">Before measuring.</param>
/// <param name="length">Measured.</param>
/// <param name="tell">Told what is being run.</param>
internal sealed class WideFloods(WideLinkKind[] kinds, TimeSpan warmUp, TimeSpan length, Action<string> tell)
{
    private static readonly string[] Senders = ["Mae East", "CNDS", "Rutgers", "UCSB"];

    /// <summary>Table 1: all links from the source, or a tree, where what a site sends shares its uplink.</summary>
    public async Task<WideTable> RunTreesAsync()
    {
        var rates = new Dictionary<(WideLinkKind Kind, bool IsTree, string From), double>();
        foreach (WideLinkKind kind in kinds)
        {
            foreach (bool isTree in (bool[])[false, true])
            {
                tell($"{(isTree ? "a tree" : "a fanout")}, links by {kind.NameOf()}");
                IReadOnlyList<WideLink> links = isTree ? WidePaper.NarrowTree : WidePaper.Fanout;
                // What waits of one flood would be under way beside the next.
                foreach (string from in Senders)
                    rates[(kind, isTree, from)] = await RunTreeAsync(links, kind, from);
            }
        }
        string[] paper = ["487, 560", "667, 561", "185, 568", "329, 579"];
        var table = new WideTable(
            "Table 1: fanout and tree, Mbit/s",
            [
                "sender",
                .. kinds.SelectMany(static kind => new[] { $"{kind.NameOf()}, fanout", $"{kind.NameOf()}, tree" }),
                "paper: TCP, kbit/s",
            ]);
        for (int index = 0; index < Senders.Length; index++)
        {
            string from = Senders[index];
            table.Add(
            [
                from,
                .. kinds.SelectMany(kind =>
                    new[] { Mega(rates[(kind, false, from)]), Mega(rates[(kind, true, from)]) }),
                paper[index],
            ]);
        }
        return table;
    }

    /// <summary>Table 3: one link that loses.</summary>
    public Task<WideTable> RunLinkAsync(double megabits) => RunLossesAsync(
        FormattableString.Invariant($"Table 3: one link of {megabits} Mbit/s and 104 ms, Mbit/s"),
        WidePaper.Sites[..2], [WidePaper.Link(megabits)],
        ["1.38 (100 %)", "1.27 (92 %)", "1.11 (81 %)", "0.995 (72 %)"]);

    /// <summary>Table 4: a tree all of whose links lose.</summary>
    public Task<WideTable> RunTreeAsync() => RunLossesAsync(
        "Table 4: a tree of six sites at 10 Mbit/s, from Mae East, Mbit/s", WidePaper.Sites, WidePaper.Tree,
        ["2.20 (100 %)", "2.09 (95 %)", "1.81 (82 %)", "1.39 (63 %)"]);

    private async Task<double> RunTreeAsync(IReadOnlyList<WideLink> links, WideLinkKind kind, string from)
    {
        await using WideOverlay overlay = await WideOverlay.StartAsync(
            WidePaper.Sites, links, kind, cost: TimeSpan.FromMilliseconds(50));
        for (int site = 0; site < WidePaper.Sites.Length; site++)
            overlay.Network.Router.ShapeUplink(site, WidePaper.UplinkOf(WidePaper.Sites[site]));
        return await overlay.FloodAsync(from, WidePaper.Bytes, warmUp, length);
    }

    private async Task<WideTable> RunLossesAsync(
        string title, string[] sites, IReadOnlyList<WideLink> links, string[] paper)
    {
        var rates = new Dictionary<(WideLinkKind Kind, double Loss), double>();
        foreach (WideLinkKind kind in kinds)
        {
            tell($"{title}, links by {kind.NameOf()}");
            await using WideOverlay overlay = await WideOverlay.StartAsync(sites, links, kind);
            foreach (double loss in WidePaper.Losses)
            {
                overlay.Shape(loss);
                rates[(kind, loss)] = await overlay.FloodAsync(sites[0], WidePaper.Bytes, warmUp, length);
            }
        }
        var table = new WideTable(
            title,
            [
                "loss of each way", .. kinds.SelectMany(static kind => new[] { kind.NameOf(), "share" }),
                "share that arrives", "paper: Hop",
            ]);
        for (int index = 0; index < paper.Length; index++)
        {
            double loss = WidePaper.Losses[index];
            table.Add(
            [
                Percent(loss),
                .. kinds.SelectMany(kind =>
                    new[] { Mega(rates[(kind, loss)]), Percent(rates[(kind, loss)] / rates[(kind, 0)]) }),
                Percent(1 - loss), paper[index],
            ]);
        }
        return table;
    }
}
