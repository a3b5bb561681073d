using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership.Frames;
using QuickSilver.Protocol.Probing;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership.Agent;

/// <summary>
/// The regions that concern one node, and their changes by steps. A region is described ahead of the step that opens
/// its first view. It is in force from that step until the step that drops it. A region may also be the home of members
/// of merged regions; then it is known as long as one of these is in force.
/// <para>
/// Awkward case: another server. Regions of the former one stay in force, <em>inherited</em>, until the first step that
/// concerns this node, which replaces all of them. Those of the new one have new numbers. Core thread only.
/// </para>
/// </summary>
internal sealed class AgentRegions(KnownViews known, ProtocolVersions versions, Probes probes)
{
    private readonly Dictionary<uint, AgentRegion> _regions = [];
    private readonly SortedList<uint, RegionView> _current = [];
    private readonly List<AgentRegion> _inherited = [];
    private readonly List<AgentRegion> _new = [];
    private readonly List<AgentRegion> _resting = [];

    /// <summary>The views in force, in order of region.</summary>
    public IList<RegionView> Current => _current.Values;

    /// <summary>True when regions are described that no step has opened yet.</summary>
    public bool AwaitsStep => _new.Count > 0;

    /// <summary>True while regions of the former server are in force.</summary>
    public bool HasInherited => _inherited.Count > 0;

    /// <summary>A region by its number; null when it is not known.</summary>
    public AgentRegion? Find(uint region) => _regions.GetValueOrDefault(region);

    /// <summary>True for a view in force.</summary>
    public bool IsCurrent(RegionView view) =>
        _current.TryGetValue(view.Region.Id.Counter, out RegionView? current) && current == view;

    /// <summary>Another server has admitted this node: its regions have new numbers.</summary>
    public void TakeOver()
    {
        if (_inherited.Count == 0)
        {
            foreach (uint region in _current.Keys) _inherited.Add(_regions[region]);
        }
        _regions.Clear();
        _new.Clear();
        _resting.Clear();
    }

    /// <summary>Forgets described and inherited regions; none is in force.</summary>
    public void Forget()
    {
        _regions.Clear();
        _new.Clear();
        _resting.Clear();
        _inherited.Clear();
    }

    /// <summary>Takes the description of a region.</summary>
    /// <param name="epoch">The epoch of its number.</param>
    /// <param name="groupEpoch">The epoch of its groups' ids.</param>
    /// <param name="entry">The description.</param>
    /// <param name="remaining">Groups that the frame's descriptions may still expand to. A difference to another region
    /// is short, whatever it expands to.</param>
    /// <returns>False when the description is impossible; nothing has changed then.</returns>
    public bool TryDescribe(Epoch epoch, Epoch groupEpoch, RegionFrame.Entry entry, ref int remaining)
    {
        if (_regions.ContainsKey(entry.Region)) return false;
        GroupSet like = default;
        if (entry.Like != 0)
        {
            if (Find(entry.Like) is not { } region) return false;
            like = region.Info.Groups;
        }
        int unfolded = like.Length + entry.Plus.Length;
        if (unfolded > remaining) return false;
        remaining -= unfolded;
        uint[]? groups = RegionGroups.Apply(like.Counters, entry.Plus, entry.Minus);
        if (groups is null) return false;
        var info = new RegionInfo(new RegionId(epoch, entry.Region), new GroupSet(groupEpoch, groups));
        var described = new AgentRegion(info);
        _regions.Add(entry.Region, described);
        _new.Add(described);
        return true;
    }

    /// <summary>The views that a step opens, in order of region.</summary>
    /// <returns>Null when that is impossible; nothing has changed then.</returns>
    public List<OpenedView>? FindOpened(StepFrame frame, Epoch epoch)
    {
        var opened = new List<OpenedView>();
        foreach (StepFrame.ViewEntry entry in frame.Opened)
        {
            if (opened.Count > 0 && opened[^1].Entry.Region >= entry.Region) return null;
            if (Find(entry.Region) is not { } region || FindHomes(region, entry) is not { } homes) return null;
            if (MakeView(region, entry, homes, epoch) is not { } view) return null;
            opened.Add(new OpenedView(entry, region, homes, view));
        }

        // Described regions are used by the very next step. So a server can make this node keep only regions in force,
        // and homes of their members.
        foreach (OpenedView view in opened)
        {
            view.Region.IsNew = false;
            foreach (AgentRegion home in view.Homes) home.IsNew = false;
        }
        return _new.Exists(static region => region.IsNew) ? null : opened;
    }

    /// <summary>The regions that a step drops, in order.</summary>
    /// <returns>Null when that is impossible; nothing has changed then.</returns>
    public List<AgentRegion>? FindDropped(StepFrame frame, List<OpenedView> opened)
    {
        var dropped = new List<AgentRegion>();
        foreach (uint counter in frame.Dropped)
        {
            if (dropped.Count > 0 && dropped[^1].Info.Id.Counter >= counter) return null;
            if (Find(counter) is not { Current: not null } region) return null;
            if (opened.Exists(view => view.Region == region)) return null;
            dropped.Add(region);
        }
        return dropped;
    }

    /// <summary>Puts the opened views in force and takes the others out.</summary>
    /// <param name="opened">The views of <see cref="FindOpened"/>.</param>
    /// <param name="dropped">The regions of <see cref="FindDropped"/>.</param>
    /// <param name="step">The counter of the step.</param>
    /// <param name="changes">Collects the moves of nodes between regions.</param>
    /// <returns>Views that are no longer in force, in order of region.</returns>
    public List<RegionView> Switch(List<OpenedView> opened, List<AgentRegion> dropped, ulong step, GroupChanges changes)
    {
        var superseded = new List<RegionView>();
        var gone = new List<(KnownNode Node, RegionInfo From)>();

        // A node that arrives is compared with its former region, so arrivals come before departures. A node that
        // departs and arrives nowhere is found at the end.
        foreach (OpenedView view in opened)
        {
            if (view.View.FirstStep.Counter != step) continue;
            for (int index = 0; index < view.Entry.Added.Length; index++)
                changes.Add(known.FindNode(view.Entry.Added[index])!.Home?.Info, view.HomeOf(index).Info);
        }
        foreach (AgentRegion region in _inherited)
        {
            superseded.Add(region.Current!);
            foreach (NodeInfo member in region.Current!.Members) Depart(member, region);
        }
        if (_inherited.Count > 0)
        {
            probes.Reached("the first step of a new server replaces the views of the one before");
            _current.Clear();
        }
        _inherited.Clear();
        foreach (OpenedView view in opened)
        {
            if (view.Region.Current is not { } last) continue;
            superseded.Add(last);
            foreach (int index in view.Entry.Removed) Depart(last.Members[index], view.Region);
        }
        foreach (AgentRegion region in dropped)
        {
            superseded.Add(region.Current!);
            foreach (NodeInfo member in region.Current!.Members) Depart(member, region);
            region.Current = null;
            _current.Remove(region.Info.Id.Counter);
            _resting.Add(region);
        }
        foreach (OpenedView view in opened)
        {
            view.Region.Current = view.View;
            view.Region.Info = view.View.Region;
            _current[view.Entry.Region] = view.View;
            for (int index = 0; index < view.Entry.Added.Length; index++)
            {
                KnownNode node = known.FindNode(view.Entry.Added[index])!;
                node.Region = view.Region;
                node.Home = view.HomeOf(index);
            }
            known.Open(view.View);
        }
        foreach ((KnownNode node, RegionInfo from) in gone)
        {
            if (node.Region is null) changes.Add(from, null);
        }
        _resting.AddRange(_new);
        _new.Clear();
        ForgetUnused();
        superseded.Sort((a, b) => a.Region.Id.CompareTo(b.Region.Id));
        return superseded;

        void Depart(NodeInfo member, AgentRegion region)
        {
            KnownNode node = known.FindNode(member.Number.Key)!;
            if (node.Region != region) return;
            gone.Add((node, node.Home!.Info));
            node.Region = null;
            node.Home = null;
        }
    }

    /// <summary>The region of exactly a node's groups; null when it is not known.</summary>
    public AgentRegion? HomeOf(NodeInfo node) => known.FindNode(node.Number.Key)?.Home;

    // Keeps the regions in force, and the homes of their members.
    private void ForgetUnused()
    {
        _resting.RemoveAll(static region => region.Current is not null);
        if (_resting.Count == 0) return;
        var homes = new HashSet<AgentRegion>();
        foreach (RegionView view in _current.Values)
        {
            if (!view.IsMerged) continue;
            foreach (NodeInfo member in view.Members) homes.Add(HomeOf(member)!);
        }
        foreach (AgentRegion region in _resting)
        {
            if (!homes.Contains(region)) _regions.Remove(region.Info.Id.Counter);
        }
        _resting.RemoveAll(region => !homes.Contains(region));
    }

    // The homes of the members that an entry adds; empty unless the region is merged, null when one is impossible.
    private AgentRegion[]? FindHomes(AgentRegion region, StepFrame.ViewEntry entry)
    {
        var homes = new AgentRegion[entry.Homes.Length];
        for (int index = 0; index < homes.Length; index++)
        {
            AgentRegion? home = entry.Homes[index] == 0 ? region : Find(entry.Homes[index]);
            if (home is null || !RegionGroups.IsSubset(home.Info.Groups.Counters, region.Info.Groups.Counters))
                return null;
            homes[index] = home;
        }
        return homes;
    }

    /// <summary>
    /// The view that an entry stands for: a new one, or one that this node knew before. Null when the entry is
    /// impossible.
    /// </summary>
    private RegionView? MakeView(AgentRegion region, StepFrame.ViewEntry entry, AgentRegion[] homes, Epoch epoch)
    {
        RegionView? last = region.Current;
        if (entry.IsDifference != last is not null || !versions.Contains(entry.Version)) return null;
        var members = new List<NodeInfo>();
        var groups = new List<GroupSet>();
        int next = 0;
        for (int index = 0; last is not null && index < last.Members.Length; index++)
        {
            if (next < entry.Removed.Length && entry.Removed[next] == index) next++;
            else
            {
                members.Add(last.Members[index]);
                if (entry.IsMerged) groups.Add(last.GroupsOf(index));
            }
        }
        if (next != entry.Removed.Length) return null;
        var added = new HashSet<ulong>();
        for (int index = 0; index < entry.Added.Length; index++)
        {
            ulong key = entry.Added[index];
            if (known.FindNode(key) is not { } node || !added.Add(key)) return null;

            // A member whose groups change goes to the end.
            if (last?.IndexOf(key) is >= 0 and int before && Array.BinarySearch(entry.Removed, before) < 0)
                return null;
            members.Add(node.Info);
            if (entry.IsMerged) groups.Add(homes[index].Info.Groups);
        }
        if (members.Count == 0) return null;
        if (known.FindView(new ViewNumber(epoch, entry.View)) is { } same)
        {
            probes.Reached("a node knows a view again that it had lost sight of");
            bool isSame = last is null && same.Region.Id.Counter == entry.Region
                && same.IsMerged == entry.IsMerged
                && same.Version == entry.Version
                && same.Members.AsSpan().SequenceEqual(members.ToArray());
            return isSame ? same : null;
        }
        var first = new StepNumber(epoch, entry.FirstStep);
        var number = new ViewNumber(epoch, entry.View);
        return new RegionView(
            number,
            region.Info,
            first,
            [.. members],
            entry.Multicast,
            entry.Replication,
            entry.IsMerged ? [.. groups] : null)
        {
            Version = entry.Version,
        };
    }
}
