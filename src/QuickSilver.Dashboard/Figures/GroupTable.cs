using QuickSilver.Dashboard.Json;

namespace QuickSilver.Dashboard.Figures;

/// <summary>The groups of all nodes, added up by name.</summary>
internal static class GroupTable
{
    /// <summary>Makes the rows, by name.</summary>
    public static GroupRow[] Of(IEnumerable<NodeFigures> nodes)
    {
        var sums = new Dictionary<string, GroupSum>(StringComparer.Ordinal);
        foreach (NodeFigures node in nodes)
        {
            foreach (GroupRow group in node.Groups)
            {
                if (!sums.TryGetValue(group.Name, out GroupSum? sum)) sums.Add(group.Name, sum = new GroupSum(group));
                sum.Add(group, node.Row.Name);
            }
        }
        return [.. sums.Values.Select(static sum => sum.ToRow())
            .OrderBy(static row => row.Name, StringComparer.Ordinal)];
    }

    /// <summary>What the nodes say of one group; null if none does.</summary>
    public static GroupReport? Find(IReadOnlyList<NodeFigures> nodes, string name)
    {
        var sum = default(GroupSum);
        var rows = new List<GroupRow>();
        foreach (NodeFigures node in nodes)
        {
            GroupRow? own = node.Groups.FirstOrDefault(group => group.Name == name);
            if (own is null) continue;
            sum ??= new GroupSum(own);
            sum.Add(own, node.Row.Name);
            rows.Add(own with { Name = node.Row.Name });
        }
        return sum is null
            ? null
            : new GroupReport(
                sum.ToRow(),
                [.. rows.OrderByDescending(static row => row.BytesReceived + row.Sent).Take(Paging.Rows)]);
    }
}
