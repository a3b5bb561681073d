using System.Diagnostics;
using System.Text;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership.Frames;
using QuickSilver.Protocol.Probing;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership.Server;

/// <summary>
/// All groups by name. A group gets its id when its name is first used, and keeps it while anything names it: its
/// message numbers continue through leaves and joins. When no node is in it or publishes to it, and no view names it,
/// it is forgotten, here and at the nodes that did. Its name is then free, and its number is not used again.
/// <para>
/// Idea: a group counts its references (<see cref="ServerGroup.Uses"/>): each region that has nodes or unretired views,
/// each node that publishes to it, each join that waits, and the views of a former server, whose groups are unknown. A
/// view retires when all its senders are done with it, and have installed its end. So no node, and no report of one,
/// can name a group without references here.
/// </para>
/// Core thread only.
/// </summary>
/// <param name="mostGroups">Limit on the number of groups.</param>
/// <param name="mostOfNode">Limit on the groups that one node is in, publishes to or waits for, and on those that it
/// has made and that are not forgotten.</param>
/// <param name="pool">Gives hybrid groups their addresses.</param>
/// <param name="probes">Hooks of simulator tests.</param>
internal sealed class ServerGroups(int mostGroups, int mostOfNode, AddressPool pool, Probes probes)
{
    /// <summary>
    /// Limit on the number of groups. No region can have more, so a list of all of them can be read: see
    /// <see cref="CounterRuns.MaxCounters"/>.
    /// </summary>
    public const int MaxGroups = CounterRuns.MaxCounters;

    private readonly KeyedSet<string, ServerGroup> _byName =
        new(static group => group.Name, StringComparer.Ordinal);
    private readonly KeyedSet<uint, ServerGroup> _byCounter = new(static group => group.Counter);
    private readonly HashSet<uint> _inherited = [];
    private readonly List<ServerGroup> _inOldViews = [];
    private readonly List<ServerGroup> _idle = [];
    private readonly List<ServerGroup> _addressed = [];

    // Inherited and forgotten: a late survivor that is still in one has missed messages there.
    private readonly HashSet<uint> _over = [];
    private uint _last;

    /// <summary>Number of groups.</summary>
    public int Count => _byName.Count;

    /// <summary>The group of a counter that is in use.</summary>
    public ServerGroup Find(uint counter) =>
        _byCounter.TryGet(counter, out ServerGroup? group)
            ? group
            : throw new KeyNotFoundException($"Nothing names group {counter}.");

    /// <summary>The group of a name; null when there is none.</summary>
    public ServerGroup? Find(string name) => _byName.TryGet(name, out ServerGroup? group) ? group : null;

    /// <summary>
    /// Forgets all groups. Each term assigns counters from a block of its own, from an offset in it that the server's
    /// random id decides. So counters of a former server are not used again, even those of groups that no survivor
    /// reports.
    /// </summary>
    public void BeginTerm(ulong termsPassed, ulong server)
    {
        while (_addressed.Count > 0) ReleaseAddress(_addressed[^1], Instant.Zero);
        _byName.Clear();
        _byCounter.Clear();
        _inherited.Clear();
        _inOldViews.Clear();
        _idle.Clear();
        _over.Clear();
        _last = ((uint)(termsPassed % (uint.MaxValue / MaxGroups)) * MaxGroups) + (uint)(server % (MaxGroups / 2));
    }

    /// <summary>
    /// True when a group that a node was in under the former server can be taken over: no step of this server has had
    /// it, and no other group has its name or number.
    /// </summary>
    public bool CanInherit(GroupInfo group) =>
        _byName.TryGet(group.Name, out ServerGroup? known)
            ? known.Counter == group.Id.Counter && known.Mode == group.Mode
                && known.Address == group.Address && _inherited.Contains(known.Counter)
            : _byCounter.Count < mostGroups && !IsTaken(group.Id.Counter) && IsGoodName(group.Name);

    /// <summary>
    /// Takes a group over. Views of the former server may name it until <see cref="ReleaseInherited"/>.
    /// </summary>
    public void Inherit(GroupInfo group)
    {
        Debug.Assert(CanInherit(group), "the group fits those that others brought");
        if (!_inherited.Add(group.Id.Counter)) return;
        // Its members have opened the address, even one of a pool that this server does not have.
        var inherited = new ServerGroup(group.Id.Counter, group.Name, group.Mode)
        {
            IsInherited = true,
            Uses = 1,
            Address = group.Address,
            AddressIndex = pool.Reserve(group.Address),
        };
        _inOldViews.Add(inherited);
        Add(inherited);
    }

    /// <summary>Ends the inheritance: the next step contains all groups that have been taken over.</summary>
    public void CloseInheritance() => _inherited.Clear();

    /// <summary>All views of the former server have retired.</summary>
    public void ReleaseInherited()
    {
        foreach (ServerGroup group in _inOldViews) Release(group);
        _inOldViews.Clear();
    }

    /// <summary>Makes room for those of the requested names that are new.</summary>
    public void Expect(IReadOnlyList<(string Name, byte Mode, bool IsPublisher)> requested)
    {
        int more = 0;
        foreach ((string name, _, _) in requested) more += _byName.TryGet(name, out _) ? 0 : 1;
        more = Math.Min(more, mostGroups - _byName.Count);
        _byName.Expect(more);
        _byCounter.Expect(more);
    }

    /// <summary>The group of a name that a node requests, made if necessary.</summary>
    /// <returns>The reason why there is none; <see cref="MembershipRefusal.None"/> when there is one.</returns>
    public MembershipRefusal TryGet(
        ServerNode node, string name, byte mode, out ServerGroup? group, Instant now)
    {
        bool isKnown = _byName.TryGet(name, out group);
        if (isKnown && group!.Mode != mode) return GroupModes.RefusalOf(group.Mode);
        int ofNode = node.Groups.Length + node.Published.Length + node.WaitingJoins;
        if (ofNode >= mostOfNode) return MembershipRefusal.TooManyGroups;
        if (isKnown) return MembershipRefusal.None;
        if (!IsGoodName(name)) return MembershipRefusal.BadGroupName;
        if (node.GroupsMade >= mostOfNode) return MembershipRefusal.TooManyGroups;
        if (_byName.Count >= mostGroups) return MembershipRefusal.Full;
        (NetEndpoint address, int addressIndex) = (default(NetEndpoint), -1);
        if (GroupModes.IsHybrid(mode) && !pool.IsEmpty) (address, addressIndex) = pool.Take(now);
        group = new ServerGroup(NextCounter(), name, mode)
        {
            Maker = node,
            Address = address,
            AddressIndex = addressIndex,
        };
        node.GroupsMade++;
        Add(group);
        return MembershipRefusal.None;
    }

    /// <summary>Adds a reference to a group.</summary>
    public void Retain(uint counter) => Find(counter).Uses++;

    /// <summary>
    /// Removes a reference to a group; after the last one, the next <see cref="ForgetIdle"/> forgets it.
    /// </summary>
    public void Release(uint counter)
    {
        if (_byCounter.TryGet(counter, out ServerGroup? group)) Release(group);
    }

    /// <summary>Adds a region's references to its groups.</summary>
    public void Retain(uint[] groups)
    {
        foreach (uint group in groups) Retain(group);
    }

    /// <summary>Removes a forgotten region's references to its groups.</summary>
    public void Release(uint[] groups)
    {
        foreach (uint group in groups) Release(group);
    }

    /// <summary>A node joins groups, or publishes to them from now on.</summary>
    public void OnJoined(ServerNode node, IReadOnlyList<uint> groups)
    {
        for (int index = 0; index < groups.Count; index++) Find(groups[index]).Note(node.Slot);
    }

    /// <summary>Forgets the groups without references, and notifies the nodes that have been in them.</summary>
    public void ForgetIdle(NodeTable nodes, Instant now)
    {
        if (_idle.Count == 0) return;
        var notified = new SortedDictionary<int, List<uint>>();
        foreach (ServerGroup group in _idle)
        {
            if (group.Uses > 0 || !_byCounter.TryGet(group.Counter, out ServerGroup? known)
                || known != group)
            {
                continue;
            }
            _byCounter.Remove(group.Counter, out _);
            if (group.IsInherited) _over.Add(group.Counter);
            probes.Reached("nobody is in a group and nothing names it, and it is forgotten");
            _byName.Remove(group.Name, out _);
            ReleaseAddress(group, now);
            if (group.Maker is { } maker) maker.GroupsMade--;
            Gather(group, nodes, notified);
        }
        _idle.Clear();
        SpareRoom.GiveBack(_idle);
        _byName.Trim();
        _byCounter.Trim();
        var frame = new FrameBuilder();
        foreach ((int slot, List<uint> counters) in notified)
        {
            counters.Sort();
            frame.Begin(FrameKind.GroupsForgotten);
            CounterRuns.Write(frame, counters.ToArray());
            nodes.Send(nodes.At(slot), frame.ToArray());
        }
    }

    private static void Gather(ServerGroup group, NodeTable nodes, SortedDictionary<int, List<uint>> notified)
    {
        if (group.IsInherited)
        {
            foreach (ServerNode node in nodes.Live)
            {
                if (node.IsInherited) group.Note(node.Slot);
            }
        }
        for (int slot = group.NextNoted(0); slot >= 0; slot = group.NextNoted(slot + 1))
        {
            if (!nodes.IsLive(slot)) continue;
            if (!notified.TryGetValue(slot, out List<uint>? counters)) notified.Add(slot, counters = []);
            counters.Add(group.Counter);
        }
    }

    private void ReleaseAddress(ServerGroup group, Instant now)
    {
        if (group.AddressIndex < 0) return;
        pool.Release(group.AddressIndex, now);
        ServerGroup last = _addressed[^1];
        _addressed[group.AddressedAt] = last;
        last.AddressedAt = group.AddressedAt;
        _addressed.RemoveAt(_addressed.Count - 1);
    }

    private void Release(ServerGroup group)
    {
        Debug.Assert(group.Uses > 0, "a group is released once for each use");
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

    private bool IsTaken(uint counter) => _byCounter.TryGet(counter, out _) || _over.Contains(counter);

    private void Add(ServerGroup group)
    {
        _byName.Add(group);
        _byCounter.Add(group);
        if (group.AddressIndex < 0) return;
        group.AddressedAt = _addressed.Count;
        _addressed.Add(group);
    }

    /// <summary>True for a name that a group may have.</summary>
    public static bool IsGoodName(string name) =>
        name.Length > 0
        && (name[0] != '$' || StatisticsGroup.Is(name))
        && Encoding.UTF8.GetByteCount(name) <= FrameFields.MaxNameBytes
        && FrameFields.IsPlain(name);
}
