namespace QuickSilver;

/// <summary>The set of members changed. Comes before the first message sent in the new view; unread consecutive changes
/// are merged into one. In ordered groups it may be a transitional view: <see
/// cref="GroupView.IsTransitional"/>.</summary>
/// <param name="Group">The handle on the group.</param>
/// <param name="Before">The view of the previous event; null in the first event of a handle.</param>
/// <param name="After">The new view.</param>
public sealed record ViewChanged(Group Group, GroupView? Before, GroupView After) : GroupEvent(Group)
{
    /// <summary>Members of <see cref="After"/> that are not in <see cref="Before"/>; all of them in the first event.
    /// Each call builds a new list, O(members).</summary>
    public IReadOnlyList<Member> GetJoined() => Before is null ? After.Members : Except(After, Before);

    /// <summary>Members of <see cref="Before"/> that are not in <see cref="After"/>. Each call builds a new list,
    /// O(members).</summary>
    public IReadOnlyList<Member> GetLeft() => Before is null ? [] : Except(Before, After);

    private static List<Member> Except(GroupView these, GroupView without)
    {
        var ids = new HashSet<MemberId>(without.MemberCount);
        foreach (Member member in without.Members) ids.Add(member.Id);
        var rest = new List<Member>();
        foreach (Member member in these.Members)
        {
            if (!ids.Contains(member.Id)) rest.Add(member);
        }
        return rest;
    }
}
