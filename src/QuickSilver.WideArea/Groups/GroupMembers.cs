using QuickSilver.WideArea.Presence;

namespace QuickSilver.WideArea.Groups;

/// <summary>
/// Whether anybody but gateways is in a group here: other sites send to it only then. A group that is not joined yet,
/// or is joined again after an eviction, counts as one with members. When the last member has left, a while goes by
/// before other sites are told. Looked at by one thread; the latest roster is for any.
/// </summary>
/// <param name="joined">The handle on the group; null while it is not joined.</param>
/// <param name="presence">The gateways of the site.</param>
/// <param name="pruneAfter">How long members count after they have left; negative: for ever.</param>
internal sealed class GroupMembers(Func<Group?> joined, GatewayPresence presence, TimeSpan pruneAfter)
{
    /// <summary>Members whose names are told, at most.</summary>
    public const int MostNames = 64;

    private GroupView? _view;
    private int _joins = -1;
    private long _seenAt = Environment.TickCount64;

    /// <summary>The members. Any thread.</summary>
    public MemberRoster Roster
    {
        get => Volatile.Read(ref field);
        private set => Volatile.Write(ref field, value);
    }
    = MemberRoster.Empty;

    /// <summary>True while other sites are to send to the group.</summary>
    public bool AreThere { get; private set; } = true;

    /// <summary>Looks.</summary>
    /// <returns>True when <see cref="AreThere"/> has changed.</returns>
    public bool Look()
    {
        GroupView? view = joined()?.View;
        int joins = presence.Joins;
        if (view is not null && (view != _view || joins != _joins)) Roster = MakeRoster(view);
        (_view, _joins) = (view, joins);
        long now = Environment.TickCount64;
        if (view is null || Roster.Count > 0) _seenAt = now;
        bool areThere = pruneAfter < TimeSpan.Zero || now - _seenAt <= pruneAfter.TotalMilliseconds;
        bool hasChanged = areThere != AreThere;
        AreThere = areThere;
        return hasChanged;
    }

    private MemberRoster MakeRoster(GroupView view)
    {
        int count = 0;
        var names = new List<string>();
        foreach (Member member in view.Members)
        {
            if (presence.IsPresent(member.Id)) continue;
            if (count++ < MostNames) names.Add(member.Name);
        }
        return count == 0 ? MemberRoster.Empty : new MemberRoster(count, names);
    }
}
