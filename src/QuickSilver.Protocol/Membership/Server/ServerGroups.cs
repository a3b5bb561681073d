using System.Text;
using QuickSilver.Protocol.Membership.Frames;

namespace QuickSilver.Protocol.Membership.Server;

/// <summary>
/// All groups by name. A group gets its id when its name is first used and keeps it for good, members or none: message numbers within it go on
/// through leaves and joins. Core thread only.
/// </summary>
internal sealed class ServerGroups
{
    /// <summary>Most groups. No region can have more, so a list of all of them can be read: see <see cref="CounterRuns.MaxCounters"/>.</summary>
    public const int MaxGroups = CounterRuns.MaxCounters;

    private readonly Dictionary<string, ServerGroup> _byName = new(StringComparer.Ordinal);
    private readonly Dictionary<uint, ServerGroup> _byCounter = [];
    private readonly HashSet<uint> _inherited = [];
    private uint _last;

    /// <summary>How many groups there are.</summary>
    public int Count => _byName.Count;

    /// <summary>The group of a counter that has been given.</summary>
    public ServerGroup Find(uint counter) => _byCounter[counter];

    /// <summary>
    /// Forgets all groups and gives out counters of a block of its own for each term, from a place in it that the server's random id decides: those
    /// of groups that nobody is left to report, given by a server before, are not given again.
    /// </summary>
    public void BeginTerm(ulong termsPassed, ulong server)
    {
        _byName.Clear();
        _byCounter.Clear();
        _inherited.Clear();
        _last = ((uint)(termsPassed % (uint.MaxValue / MaxGroups)) * MaxGroups) + (uint)(server % (MaxGroups / 2));
    }

    /// <summary>
    /// True when a group that a node was in under the server before can be taken over: no step of this server has had it, and no other has
    /// its name or number.
    /// </summary>
    public bool CanInherit(GroupInfo group) =>
        _byName.TryGetValue(group.Name, out ServerGroup? known)
            ? known.Counter == group.Id.Counter && known.Mode == group.Mode && _inherited.Contains(known.Counter)
            : _byCounter.Count < MaxGroups && !_byCounter.ContainsKey(group.Id.Counter) && IsGoodName(group.Name);

    /// <summary>Takes a group over.</summary>
    public void Inherit(GroupInfo group)
    {
        if (_inherited.Add(group.Id.Counter)) Add(new ServerGroup(group.Id.Counter, group.Name, group.Mode));
    }

    /// <summary>The next step is going to have all groups that have been taken over.</summary>
    public void CloseInheritance() => _inherited.Clear();

    /// <summary>The group of a name, made if need be.</summary>
    /// <returns>Why there is none; <see cref="MembershipRefusal.None"/> when there is.</returns>
    public MembershipRefusal TryGet(string name, byte mode, out ServerGroup? group)
    {
        if (!_byName.TryGetValue(name, out group))
        {
            if (!IsGoodName(name)) return MembershipRefusal.BadGroupName;
            if (_byName.Count == MaxGroups) return MembershipRefusal.Full;
            do
            {
                _last++;
            }
            while (_byCounter.ContainsKey(_last));
            group = new ServerGroup(_last, name, mode);
            Add(group);
        }
        return group.Mode == mode ? MembershipRefusal.None : MembershipRefusal.ModeMismatch;
    }

    private void Add(ServerGroup group)
    {
        _byName.Add(group.Name, group);
        _byCounter.Add(group.Counter, group);
    }

    private static bool IsGoodName(string name) =>
        name.Length > 0
        && name[0] != '$'
        && Encoding.UTF8.GetByteCount(name) <= FrameFields.MaxNameBytes
        && FrameFields.IsOneLine(name);
}
