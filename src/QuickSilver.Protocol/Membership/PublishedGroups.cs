using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership;

/// <summary>
/// The groups that one node publishes to, by id, as far as its <see cref="GroupLayout"/> needs them. It may be a member
/// of some of them. Immutable.
/// </summary>
/// <param name="groups">The groups, by id.</param>
/// <param name="infos">Their names and modes, in the same order.</param>
/// <param name="changedIn">The counter of the step that last changed each group's members; 0: it has had none.</param>
internal sealed class PublishedGroups(GroupSet groups, GroupInfo[] infos, ulong[] changedIn)
{
    /// <summary>Of a node that publishes to no group.</summary>
    public static readonly PublishedGroups None = new(default, [], []);

    /// <summary>The groups, by id.</summary>
    public GroupSet Groups { get; } = groups;

    /// <summary>Their names and modes.</summary>
    public GroupInfo[] Infos { get; } = infos;

    /// <summary>The counter of the step that last changed each group's members.</summary>
    public ulong[] ChangedIn { get; } = changedIn;

    /// <summary>The groups, by id, that another set lacks. O(groups), nothing when it is the same.</summary>
    public List<GroupInfo> Beyond(PublishedGroups other)
    {
        var beyond = new List<GroupInfo>();
        for (int index = 0; !ReferenceEquals(other.Infos, Infos) && index < Infos.Length; index++)
        {
            if (other.Groups.IndexOf(Infos[index].Id) < 0) beyond.Add(Infos[index]);
        }
        return beyond;
    }

    /// <summary>The same groups after a step has changed members. Of groups that the node begins to publish to with the
    /// step it cannot know what changed: a member that it has not known may have been in them before.</summary>
    /// <param name="changes">The changes.</param>
    /// <param name="step">The counter of the step.</param>
    /// <param name="begun">The groups that begin with the step, rising, with their numbers as the server has
    /// them.</param>
    public PublishedGroups After(
        GroupChanges changes, ulong step, ReadOnlySpan<(uint Group, ulong ChangedIn)> begun)
    {
        if (Infos.Length == 0 || changes.IsEmpty) return this;
        ulong[] changedIn = [.. ChangedIn];
        changes.Mark(Groups.Counters, changedIn, step);
        for (int index = 0, next = 0; next < begun.Length; index++)
        {
            if (Groups.Counters[index] == begun[next].Group) changedIn[index] = begun[next++].ChangedIn;
        }
        return new PublishedGroups(Groups, Infos, changedIn);
    }

    /// <summary>The groups after the node has begun to publish to some, and ceased to others: one merge.</summary>
    /// <param name="epoch">The epoch of the ids.</param>
    /// <param name="ceases">Groups it ceases to publish to, rising.</param>
    /// <param name="begun">Groups it publishes to from now on, rising.</param>
    /// <param name="begunIn">The counter of the step that last changed the members of each.</param>
    /// <returns>Null when one to cease is not among the groups, or one to begin is.</returns>
    public PublishedGroups? Change(
        Epoch epoch, ReadOnlySpan<uint> ceases, List<GroupInfo> begun, (uint Group, ulong ChangedIn)[] begunIn)
    {
        int count = Infos.Length - ceases.Length + begun.Count;
        if (count < 0) return null;
        uint[] counters = new uint[count];
        var infos = new GroupInfo[count];
        ulong[] changedIn = new ulong[count];
        int place = 0, ceased = 0, b = 0;
        for (int old = 0; old < Infos.Length || b < begun.Count;)
        {
            bool isNew = old == Infos.Length || (b < begun.Count && begun[b].Id < Infos[old].Id);
            uint counter = isNew ? begun[b].Id.Counter : Infos[old].Id.Counter;
            if (!isNew && b < begun.Count && begun[b].Id == Infos[old].Id) return null;
            if (!isNew && ceased < ceases.Length && ceases[ceased] == counter)
            {
                ceased++;
                old++;
                continue;
            }
            if (place == count) return null;
            counters[place] = counter;
            infos[place] = isNew ? begun[b] : Infos[old];
            changedIn[place++] = isNew ? begunIn[b].ChangedIn : ChangedIn[old];
            if (isNew) b++;
            else old++;
        }
        if (ceased < ceases.Length) return null;
        return count == 0 ? None : new PublishedGroups(new GroupSet(epoch, counters), infos, changedIn);
    }
}
