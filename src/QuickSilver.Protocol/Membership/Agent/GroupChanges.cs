using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership.Agent;

/// <summary>
/// Finds the groups whose member sets a step changed, from regions alone. When a node moves from one region to another,
/// the groups in exactly one of the two have changed. An unknown region shares no group with this node, so that side
/// counts as empty. Many nodes that move together cost one merge.
/// </summary>
internal sealed class GroupChanges
{
    private readonly HashSet<(RegionId From, RegionId To)> _seen = [];
    private readonly List<GroupId> _changed = [];

    /// <summary>A node moved between regions.</summary>
    /// <param name="from">Its former region; null when that is unknown or none.</param>
    /// <param name="to">Its new region; null when that is unknown or none.</param>
    public void Add(RegionInfo? from, RegionInfo? to)
    {
        if (!_seen.Add((from?.Id ?? default, to?.Id ?? default))) return;
        GroupSet before = from?.Groups ?? default;
        GroupSet after = to?.Groups ?? default;
        int b = 0;
        int a = 0;
        while (b < before.Length || a < after.Length)
        {
            int order = b == before.Length ? 1 : a == after.Length ? -1 : before[b].CompareTo(after[a]);
            if (order < 0) _changed.Add(before[b++]);
            else if (order > 0) _changed.Add(after[a++]);
            else
            {
                a++;
                b++;
            }
        }
    }

    /// <summary>
    /// Counts all groups of a region as changed, with the first step of a new server. Members may have ended with
    /// different steps of the former one, and no two may know one membership by two numbers.
    /// </summary>
    public void AddAll(RegionInfo region) => _changed.AddRange(region.Groups);

    /// <summary>The changed groups, by id, each once.</summary>
    public List<GroupId> Take()
    {
        _changed.Sort();
        var distinct = new List<GroupId>();
        foreach (GroupId group in _changed)
        {
            if (distinct.Count == 0 || distinct[^1] != group) distinct.Add(group);
        }
        return distinct;
    }
}
