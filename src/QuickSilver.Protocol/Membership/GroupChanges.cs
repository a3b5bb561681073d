namespace QuickSilver.Protocol.Membership;

/// <summary>
/// Finds the groups whose member sets a step changed, from regions alone. When the groups of a node become those of
/// another region, the groups in exactly one of the two have changed. An unknown region shares no group with this node,
/// so that side counts as empty. Many nodes that move together cost one merge.
/// </summary>
internal sealed class GroupChanges
{
    private readonly HashSet<(uint From, uint To)> _seen = [];
    private readonly List<(GroupSet From, GroupSet To)> _moves = [];
    private bool _isAll;

    /// <summary>True when no group can have changed.</summary>
    public bool IsEmpty => _moves.Count == 0 && !_isAll;

    /// <summary>A node has the groups of another region.</summary>
    /// <param name="from">Its former home; null when that is unknown or none.</param>
    /// <param name="to">Its new home; null when that is unknown or none.</param>
    public void Add(RegionInfo? from, RegionInfo? to)
    {
        if (from == to) return;
        if (_seen.Add((from?.Id.Counter ?? 0, to?.Id.Counter ?? 0)))
            _moves.Add((from?.Groups ?? default, to?.Groups ?? default));
    }

    /// <summary>
    /// Counts all groups of this node as changed, with the first step of a new server. Members may have ended with
    /// different steps of the former one, and no two may know one membership by two numbers.
    /// </summary>
    public void AddAll() => _isAll = true;

    /// <summary>Writes the step's counter for each group that has changed.</summary>
    /// <param name="groups">Counters of this node's groups, rising.</param>
    /// <param name="changedIn">The counters of the steps that last changed them.</param>
    /// <param name="step">The counter of the step.</param>
    public void Mark(ReadOnlySpan<uint> groups, ulong[] changedIn, ulong step)
    {
        if (_isAll)
        {
            changedIn.AsSpan().Fill(step);
            return;
        }
        foreach ((GroupSet from, GroupSet to) in _moves) Mark(from.Counters, to.Counters, groups, changedIn, step);
    }

    private static void Mark(
        ReadOnlySpan<uint> from, ReadOnlySpan<uint> to, ReadOnlySpan<uint> groups, ulong[] changedIn, ulong step)
    {
        int f = 0;
        int t = 0;
        int own = 0;
        while ((f < from.Length || t < to.Length) && own < groups.Length)
        {
            uint changed;
            if (t == to.Length || (f < from.Length && from[f] < to[t])) changed = from[f++];
            else if (f == from.Length || to[t] < from[f]) changed = to[t++];
            else
            {
                f++;
                t++;
                continue;
            }
            while (own < groups.Length && groups[own] < changed) own++;
            if (own < groups.Length && groups[own] == changed) changedIn[own] = step;
        }
    }
}
