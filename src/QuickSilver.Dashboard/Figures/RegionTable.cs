using QuickSilver.Dashboard.Json;

namespace QuickSilver.Dashboard.Figures;

/// <summary>The regions of all nodes, and who is in which.</summary>
internal sealed class RegionTable
{
    private readonly RegionRow[] _regions;

    /// <summary>Puts together what the nodes say.</summary>
    public RegionTable(IEnumerable<NodeFigures> nodes)
    {
        _regions = [.. nodes.SelectMany(static node => node.Report.Snapshot.Regions)
            .GroupBy(static region => region.Number)
            .Select(Merge)
            .OrderByDescending(static region => region.Members)
            .ThenBy(static region => region.Number)];
    }

    /// <summary>Number of regions.</summary>
    public int Count => _regions.Length;

    /// <summary>A page of regions beside a page of nodes.</summary>
    public RegionMatrix PageOf(int page, IEnumerable<NodeFigures> nodes)
    {
        int pages = Paging.PagesOf(_regions.Length, Paging.Regions);
        int number = Math.Min(page, pages - 1);
        RegionRow[] shown = [.. _regions.Skip(number * Paging.Regions).Take(Paging.Regions)];
        MatrixRow[] rows = [.. nodes.Select(node => new MatrixRow(node.Row.Id, node.Row.Name, PlacesOf(node, shown)))];
        return new RegionMatrix(number, pages, _regions.Length, shown, rows);
    }

    /// <summary>A region as one node sees it.</summary>
    public static RegionRow RowOf(RegionReport region) => new(
        region.Number,
        region.View,
        region.MemberCount,
        region.GroupCount,
        Clean.Milliseconds(region.TokenRoundTrip),
        Clean.Of(region.Rate ?? 0),
        Clean.Of(region.RateLimit ?? 0));

    // The newest view has the word on members; senders' rates add up, and the most limited one says the limit.
    private static RegionRow Merge(IEnumerable<RegionReport> same)
    {
        RegionRow? all = null;
        foreach (RegionRow one in same.Select(RowOf))
        {
            if (all is null)
            {
                all = one;
                continue;
            }
            RegionRow newest = one.View > all.View ? one : all;
            all = newest with
            {
                TokenMs = Math.Max(all.TokenMs, one.TokenMs),
                Rate = all.Rate + one.Rate,
                RateLimit = all.RateLimit == 0 || one.RateLimit == 0
                    ? Math.Max(all.RateLimit, one.RateLimit)
                    : Math.Min(all.RateLimit, one.RateLimit),
            };
        }
        return all!;
    }

    private static int[] PlacesOf(NodeFigures node, RegionRow[] shown)
    {
        HashSet<ulong> own = [.. node.Report.Snapshot.Regions.Where(static region => region.IsMember)
            .Select(static region => region.Number)];
        return [.. Enumerable.Range(0, shown.Length).Where(place => own.Contains(shown[place].Number))];
    }
}
