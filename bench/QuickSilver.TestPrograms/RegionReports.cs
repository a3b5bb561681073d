namespace QuickSilver.TestPrograms;

/// <summary>Tells which regions a node's groups are made of.</summary>
internal static class RegionReports
{
    /// <summary>The regions of these groups' present views, by number.</summary>
    public static IReadOnlyList<RegionReport> Of(IEnumerable<Group> groups)
    {
        var regions = new SortedDictionary<ulong, (RegionView View, List<string> Groups)>();
        foreach (Group group in groups)
        {
            foreach (RegionView region in group.View.Regions)
            {
                if (!regions.TryGetValue(region.Id, out (RegionView View, List<string> Groups) entry))
                    regions.Add(region.Id, entry = (region, []));
                entry.Groups.Add(group.Name);
            }
        }
        return [.. regions.Values.Select(entry => new RegionReport(
            entry.View.Id, entry.View.Number, entry.View.Carrier.ToString(), entry.View.MemberCount, entry.Groups))];
    }
}
