using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership.Frames;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership.Agent;

/// <summary>
/// The regions that matter to one node, and how a step changes them. A region is described ahead of the step that opens its first view, is in force
/// from that step on, and goes with the step that drops it.
/// <para>
/// Awkward case: another server. Regions of the one before stay in force, <em>inherited</em>, until the first step that concerns this node, which
/// replaces all of them; those of the new one are numbered anew. Core thread only.
/// </para>
/// </summary>
internal sealed class AgentRegions(KnownViews known, Probes probes)
{
    private readonly Dictionary<uint, AgentRegion> _regions = [];
    private readonly SortedList<uint, RegionView> _current = [];
    private readonly List<AgentRegion> _inherited = [];
    private int _described;

    /// <summary>The views in force, in order of region.</summary>
    public IList<RegionView> Current => _current.Values;

    /// <summary>True when regions are described that no step has opened yet.</summary>
    public bool AwaitsStep => _described > 0;

    /// <summary>True while regions of the server before are in force.</summary>
    public bool HasInherited => _inherited.Count > 0;

    /// <summary>A region by its number; null when it is not known.</summary>
    public AgentRegion? Find(uint region) => _regions.GetValueOrDefault(region);

    /// <summary>True for a view in force.</summary>
    public bool IsCurrent(RegionView view) => _current.TryGetValue(view.Region.Id.Counter, out RegionView? current) && current == view;

    /// <summary>Another server has admitted this node: its regions are numbered anew.</summary>
    public void TakeOver()
    {
        if (_inherited.Count == 0)
        {
            foreach (uint region in _current.Keys) _inherited.Add(_regions[region]);
        }
        _regions.Clear();
        _described = 0;
    }

    /// <summary>Forgets what is described and inherited; nothing is in force.</summary>
    public void Forget()
    {
        _regions.Clear();
        _described = 0;
        _inherited.Clear();
    }

    /// <summary>A region is described.</summary>
    /// <param name="epoch">Of its number.</param>
    /// <param name="groupEpoch">Of its groups' ids.</param>
    /// <param name="entry">The description.</param>
    /// <param name="left">Groups that the frame's descriptions may still unfold to: one that is like another is short,
    /// whatever it stands for.</param>
    /// <returns>False when the description is impossible; nothing has changed then.</returns>
    public bool TryDescribe(Epoch epoch, Epoch groupEpoch, RegionFrame.Entry entry, ref int left)
    {
        if (_regions.ContainsKey(entry.Region)) return false;
        GroupSet like = default;
        if (entry.Like != 0)
        {
            if (Find(entry.Like) is not { } region) return false;
            like = region.Info.Groups;
        }
        int unfolded = like.Length + entry.Plus.Length;
        if (unfolded > left) return false;
        left -= unfolded;
        uint[]? groups = RegionGroups.Apply(like.Counters, entry.Plus, entry.Minus);
        if (groups is null) return false;
        _regions.Add(entry.Region, new AgentRegion(new RegionInfo(new RegionId(epoch, entry.Region), new GroupSet(groupEpoch, groups))));
        _described++;
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
            if (Find(entry.Region) is not { } region || MakeView(region, entry, epoch) is not { } view) return null;
            opened.Add(new OpenedView(entry, region, view));
        }

        // What is described is opened by the very next step, so what a server can make this node keep is what is in force.
        return opened.Count(view => view.Region.Current is null) == _described ? opened : null;
    }

    /// <summary>The regions that a step drops, in order.</summary>
    /// <returns>Null when that is impossible; nothing has changed then.</returns>
    public List<AgentRegion>? FindDropped(StepFrame frame, List<OpenedView> opened)
    {
        var dropped = new List<AgentRegion>();
        foreach (uint counter in frame.Dropped)
        {
            if (dropped.Count > 0 && dropped[^1].Info.Id.Counter >= counter) return null;
            if (Find(counter) is not { Current: not null } region || opened.Exists(view => view.Region == region)) return null;
            dropped.Add(region);
        }
        return dropped;
    }

    /// <summary>Puts the opened views in force and takes the others out.</summary>
    /// <param name="opened">What <see cref="FindOpened"/> has found.</param>
    /// <param name="dropped">What <see cref="FindDropped"/> has found.</param>
    /// <param name="step">The step.</param>
    /// <param name="changes">Told who moved between regions.</param>
    /// <returns>Views that are in force no more, in order of region.</returns>
    public List<RegionView> Switch(List<OpenedView> opened, List<AgentRegion> dropped, ulong step, GroupChanges changes)
    {
        var superseded = new List<RegionView>();
        var gone = new List<(KnownNode Node, RegionInfo From)>();

        // Who arrives is compared with where it was, so arrivals come before departures; a node that departs and arrives nowhere is found at the end.
        foreach (OpenedView view in opened)
        {
            if (view.View.FirstStep.Counter != step) continue;
            foreach (ulong key in view.Entry.Added) changes.Add(known.FindNode(key)!.Region?.Info, view.Region.Info);
        }
        foreach (AgentRegion region in _inherited)
        {
            superseded.Add(region.Current!);
            foreach (NodeInfo member in region.Current!.Members) Depart(member, region);
        }
        if (_inherited.Count > 0)
        {
            probes.Hit(Mark.InheritedViewsReplaced);
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
            _current.Remove(region.Info.Id.Counter);
            _regions.Remove(region.Info.Id.Counter);
        }
        foreach (OpenedView view in opened)
        {
            view.Region.Current = view.View;
            view.Region.Info = view.View.Region;
            _current[view.Entry.Region] = view.View;
            foreach (ulong key in view.Entry.Added) known.FindNode(key)!.Region = view.Region;
            known.Open(view.View);
        }
        foreach ((KnownNode node, RegionInfo from) in gone)
        {
            if (node.Region is null) changes.Add(from, null);
        }
        _described = 0;
        superseded.Sort((a, b) => a.Region.Id.CompareTo(b.Region.Id));
        return superseded;

        void Depart(NodeInfo member, AgentRegion region)
        {
            KnownNode node = known.FindNode(member.Number.Key)!;
            if (node.Region != region) return;
            node.Region = null;
            gone.Add((node, region.Info));
        }
    }

    /// <summary>
    /// The view that an entry stands for: a new one, or one that this node knew before and comes to know again. Null when the entry is impossible.
    /// </summary>
    private RegionView? MakeView(AgentRegion region, StepFrame.ViewEntry entry, Epoch epoch)
    {
        RegionView? last = region.Current;
        if (entry.IsDifference != last is not null) return null;
        var members = new List<NodeInfo>();
        int next = 0;
        for (int index = 0; last is not null && index < last.Members.Length; index++)
        {
            if (next < entry.Removed.Length && entry.Removed[next] == index) next++;
            else members.Add(last.Members[index]);
        }
        if (next != entry.Removed.Length) return null;
        var added = new HashSet<ulong>();
        foreach (ulong key in entry.Added)
        {
            if (known.FindNode(key) is not { } node || !added.Add(key) || last?.IndexOf(key) >= 0) return null;
            members.Add(node.Info);
        }
        if (members.Count == 0) return null;
        if (known.FindView(new ViewNumber(epoch, entry.View)) is { } same)
        {
            probes.Hit(Mark.ViewKnownAgain);
            return last is null && same.Region.Id.Counter == entry.Region && same.Members.AsSpan().SequenceEqual(members.ToArray()) ? same : null;
        }
        var first = new StepNumber(epoch, entry.FirstStep);
        return new RegionView(new ViewNumber(epoch, entry.View), region.Info, first, [.. members], entry.Multicast, entry.Replication);
    }
}
