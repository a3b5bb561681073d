namespace QuickSilver.Monitoring;

/// <summary>Puts together what nodes say of members that are behind. Stateless.</summary>
internal static class SlowestMembers
{
    /// <summary>One entry a member, from the node that tells of most packets: those that hold up first, then by
    /// packets, then those that are behind for longest. Silent nodes are not heard.</summary>
    public static IReadOnlyList<MemberLag> Of(IEnumerable<NodeReport> nodes)
    {
        var worst = new Dictionary<MemberId, MemberLag>();
        foreach (NodeReport node in nodes)
        {
            if (node.IsSilent) continue;
            foreach (MemberLag lag in node.Snapshot.Slowest)
            {
                if (!worst.TryGetValue(lag.Member.Id, out MemberLag? known) || Compare(lag, known) < 0)
                    worst[lag.Member.Id] = lag;
            }
        }
        var all = new List<MemberLag>(worst.Values);
        all.Sort(Compare);
        return all.AsReadOnly();
    }

    private static int Compare(MemberLag left, MemberLag right)
    {
        if (left.HoldsUp != right.HoldsUp) return left.HoldsUp ? -1 : 1;
        int order = right.Packets.CompareTo(left.Packets);
        if (order == 0) order = right.Duration.CompareTo(left.Duration);
        return order != 0 ? order : left.Member.Id.CompareTo(right.Member.Id);
    }
}
