using System.Text;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership.Frames;

namespace QuickSilver.Protocol.Membership.Server;

/// <summary>
/// All groups by name. A group gets its id when its name is first used, and keeps it while anything names it: message numbers within it go on through
/// leaves and joins. When nobody is in it and no view knows it, it is forgotten, here and at the nodes that were in it; its name is then free, and its
/// number is not given again.
/// <para>
/// Idea: a group counts what names it (<see cref="ServerGroup.Uses"/>): each region that has nodes or unretired views, each join that waits, and the
/// views of a server before, of which nobody knows which groups they name. A view retires when all who could send in it are done with it, and have
/// installed its end; so no node, and no report of one, can name a group that nothing names here.
/// </para>
/// Core thread only.
/// </summary>
/// <param name="mostGroups">Most groups.</param>
/// <param name="mostOfNode">Most groups that one node is in or waits for, and most that it has made and that are not forgotten.</param>
/// <param name="probes">What tests see and move.</param>
internal sealed class ServerGroups(int mostGroups, int mostOfNode, Probes probes)
{
    /// <summary>Most groups. No region can have more, so a list of all of them can be read: see <see cref="CounterRuns.MaxCounters"/>.</summary>
    public const int MaxGroups = CounterRuns.MaxCounters;

    private readonly Dictionary<string, ServerGroup> _byName = new(StringComparer.Ordinal);
    private readonly Dictionary<uint, ServerGroup> _byCounter = [];
    private readonly HashSet<uint> _inherited = [];
    private readonly List<ServerGroup> _inOldViews = [];
    private readonly List<ServerGroup> _idle = [];

    // Inherited and forgotten: who comes late and still is in one has missed what others sent there.
    private readonly HashSet<uint> _over = [];
    private uint _last;

    /// <summary>How many groups there are.</summary>
    public int Count => _byName.Count;

    /// <summary>The group of a counter that is in use.</summary>
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
        _inOldViews.Clear();
        _idle.Clear();
        _over.Clear();
        _last = ((uint)(termsPassed % (uint.MaxValue / MaxGroups)) * MaxGroups) + (uint)(server % (MaxGroups / 2));
    }

    /// <summary>
    /// True when a group that a node was in under the server before can be taken over: no step of this server has had it, and no other has
    /// its name or number.
    /// </summary>
    public bool CanInherit(GroupInfo group) =>
        _byName.TryGetValue(group.Name, out ServerGroup? known)
            ? known.Counter == group.Id.Counter && known.Mode == group.Mode && _inherited.Contains(known.Counter)
            : _byCounter.Count < mostGroups && !IsTaken(group.Id.Counter) && IsGoodName(group.Name);

    /// <summary>Takes a group over. Views of the server before may name it until <see cref="ReleaseInherited"/>.</summary>
    public void Inherit(GroupInfo group)
    {
        if (!_inherited.Add(group.Id.Counter)) return;
        var inherited = new ServerGroup(group.Id.Counter, group.Name, group.Mode) { IsInherited = true, Uses = 1 };
        _inOldViews.Add(inherited);
        Add(inherited);
    }

    /// <summary>The next step is going to have all groups that have been taken over.</summary>
    public void CloseInheritance() => _inherited.Clear();

    /// <summary>All views of the server before have retired.</summary>
    public void ReleaseInherited()
    {
        foreach (ServerGroup group in _inOldViews) Release(group);
        _inOldViews.Clear();
    }

    /// <summary>The group of a name that a node asks for, made if need be.</summary>
    /// <returns>Why there is none; <see cref="MembershipRefusal.None"/> when there is.</returns>
    public MembershipRefusal TryGet(ServerNode node, string name, byte mode, out ServerGroup? group)
    {
        bool isKnown = _byName.TryGetValue(name, out group);
        if (isKnown && group!.Mode != mode) return MembershipRefusal.ModeMismatch;
        if (node.Groups.Length + node.WaitingJoins >= mostOfNode) return MembershipRefusal.TooManyGroups;
        if (isKnown) return MembershipRefusal.None;
        if (!IsGoodName(name)) return MembershipRefusal.BadGroupName;
        if (node.GroupsMade >= mostOfNode) return MembershipRefusal.TooManyGroups;
        if (_byName.Count >= mostGroups) return MembershipRefusal.Full;
        group = new ServerGroup(NextCounter(), name, mode) { Maker = node };
        node.GroupsMade++;
        Add(group);
        return MembershipRefusal.None;
    }

    /// <summary>Something more names a group.</summary>
    public void Retain(uint counter) => _byCounter[counter].Uses++;

    /// <summary>Something names a group no more; if it was the last, the group goes with the next <see cref="ForgetIdle"/>.</summary>
    public void Release(uint counter)
    {
        if (_byCounter.TryGetValue(counter, out ServerGroup? group)) Release(group);
    }

    /// <summary>A region names its groups, until it is forgotten.</summary>
    public void Retain(uint[] groups)
    {
        foreach (uint group in groups) Retain(group);
    }

    /// <summary>A region is forgotten.</summary>
    public void Release(uint[] groups)
    {
        foreach (uint group in groups) Release(group);
    }

    /// <summary>A node comes to be in groups.</summary>
    public void OnJoined(ServerNode node, IReadOnlyList<uint> groups)
    {
        for (int index = 0; index < groups.Count; index++) _byCounter[groups[index]].Told.Add(node.Slot);
    }

    /// <summary>Forgets the groups that nothing names, and tells the nodes that have been in them.</summary>
    public void ForgetIdle(NodeTable nodes)
    {
        if (_idle.Count == 0) return;
        var told = new SortedDictionary<int, List<uint>>();
        foreach (ServerGroup group in _idle)
        {
            if (group.Uses > 0 || _byCounter.GetValueOrDefault(group.Counter) != group) continue;
            _byCounter.Remove(group.Counter);
            if (group.IsInherited) _over.Add(group.Counter);
            probes.Hit(Mark.GroupForgotten);
            _byName.Remove(group.Name);
            if (group.Maker is { } maker) maker.GroupsMade--;
            Gather(group, nodes, told);
        }
        _idle.Clear();
        var frame = new FrameBuilder();
        foreach ((int slot, List<uint> counters) in told)
        {
            counters.Sort();
            frame.Begin(FrameKind.GroupsForgotten);
            CounterRuns.Write(frame, counters.ToArray());
            nodes.Send(nodes.At(slot), frame.ToArray());
        }
    }

    private static void Gather(ServerGroup group, NodeTable nodes, SortedDictionary<int, List<uint>> told)
    {
        if (group.IsInherited)
        {
            foreach (ServerNode node in nodes.Live)
            {
                if (node.IsInherited) group.Told.Add(node.Slot);
            }
        }
        for (int slot = group.Told.Next(0); slot >= 0; slot = group.Told.Next(slot + 1))
        {
            if (!nodes.IsLive(slot)) continue;
            if (!told.TryGetValue(slot, out List<uint>? counters)) told.Add(slot, counters = []);
            counters.Add(group.Counter);
        }
    }

    private void Release(ServerGroup group)
    {
        if (--group.Uses == 0) _idle.Add(group);
    }

    private uint NextCounter()
    {
        do
        {
            _last++;
        }
        while (_last == 0 || IsTaken(_last));
        return _last;
    }

    private bool IsTaken(uint counter) => _byCounter.ContainsKey(counter) || _over.Contains(counter);

    private void Add(ServerGroup group)
    {
        _byName.Add(group.Name, group);
        _byCounter.Add(group.Counter, group);
    }

    private static bool IsGoodName(string name) =>
        name.Length > 0
        && name[0] != '$'
        && Encoding.UTF8.GetByteCount(name) <= FrameFields.MaxNameBytes
        && FrameFields.IsPlain(name);
}
