using System.Runtime.CompilerServices;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;
using QuickSilver.Testing.Scheduling;
using InstalledView = QuickSilver.Protocol.Membership.RegionView;

namespace QuickSilver.Testing.Invariants;

/// <summary>
/// V1 to V4, checked whenever a node has installed a step: steps come in order and none is skipped; the node is in its
/// own region view; a view number names one and the same view at every node; a group view is an exact union of disjoint
/// region views, and one and the same at every node.
/// </summary>
internal sealed class ViewChecks(RunContext run, VersionChecks versions)
{
    private readonly Dictionary<ulong, int> _nodeByKey = [];
    private readonly Dictionary<ViewNumber, RegionViewFacts> _views = [];
    private readonly Dictionary<(uint Tag, uint Counter), RegionViewFacts> _viewsByTag = [];
    private readonly Dictionary<(GroupId Group, StepNumber View), GroupViewFacts> _groupViews = [];
    // Each node has objects of its own for a view, which do not change: each is compared once.
    private readonly ConditionalWeakTable<InstalledView, RegionViewFacts> _compared = [];

    /// <summary>Region views seen so far.</summary>
    public int Count => _views.Count;

    /// <summary>A node was given its number. When nobody is left of a cluster, the next one may begin to count
    /// again.</summary>
    public void OnRegistered(int node, NodeInfo self, Func<int, bool> lives)
    {
        bool known = _nodeByKey.TryGetValue(self.Number.Key, out int other) && other != node;
        if (known && _nodeByKey.Values.Any(index => index != node && lives(index)))
        {
            throw run.Violation("V5", $"nodes {other} and {node} were both given number {self.Number}");
        }
        _nodeByKey[self.Number.Key] = node;
    }

    /// <summary>A node's index by the key of its number; -1 when no node has it.</summary>
    public int NodeOf(ulong key) => _nodeByKey.GetValueOrDefault(key, -1);

    /// <summary>A region view by what a datagram names it with; null when no node has installed it.</summary>
    public RegionViewFacts? FindView(uint tag, uint counter) => _viewsByTag.GetValueOrDefault((tag, counter));

    /// <summary>The members of a group view; null when no node has installed it.</summary>
    public HashSet<int>? FindGroupView(GroupId group, StepNumber view) =>
        _groupViews.GetValueOrDefault((group, view))?.Members;

    /// <summary>Checks the order of a node's steps, at the end of a turn.</summary>
    /// <param name="node">Index of the node.</param>
    /// <param name="step">The step it has installed last.</param>
    /// <param name="installed">Its own count of steps.</param>
    /// <param name="seen">What was seen of it last; updated.</param>
    public void CheckOrder(int node, StepNumber step, ulong installed, ref StepsSeen seen)
    {
        if (step == seen.Step && installed == seen.Installed) return;
        if (step <= seen.Step)
        {
            throw run.Violation(
                "V1",
                $"node {node} went from step {seen.Step} to {step}, {installed - seen.Installed} installations later");
        }
        ulong rise = step.Counter - seen.Step.Counter;
        bool known = !seen.Step.IsNone && seen.Step.Epoch == step.Epoch;
        if (known && rise != installed - seen.Installed)
        {
            throw run.Violation(
                "V1",
                $"node {node} went from step {seen.Step} to {step} by {installed - seen.Installed} installations");
        }
        seen = new StepsSeen(step, installed);
        run.Trace.Add(TraceKind.Step, run.Now, (ulong)node, step.Counter);
    }

    /// <summary>A step opens views at a node. Another step of the same turn may end them again.</summary>
    public void OnOpened(int node, IReadOnlyList<InstalledView> opened, RemovalChecks removals)
    {
        foreach (InstalledView view in opened) Learn(node, view, removals);
    }

    /// <summary>Checks a node's views. May be called in the middle of a turn, whenever the cluster view is
    /// whole.</summary>
    /// <param name="node">Index of the node.</param>
    /// <param name="cluster">What it has installed.</param>
    /// <param name="groups">The groups it is in, or publishes to.</param>
    /// <param name="removals">Knows who was removed.</param>
    public void CheckViews(int node, ClusterView cluster, IEnumerable<GroupId> groups, RemovalChecks removals)
    {
        StepNumber step = cluster.Installed;
        if (cluster.Self is not { } self || NodeOf(self.Number.Key) != node)
        {
            throw run.Violation("V2", $"node {node} installed step {step} without being registered");
        }
        if (cluster.Own is { } own)
        {
            Learn(node, own, removals);
            if (own.IndexOf(self.Number.Key) < 0)
                throw run.Violation("V2", $"node {node} installed {own} in step {step} and is not in it");
        }
        IReadOnlyList<InstalledView>? views = null;
        RegionViewFacts[] facts = [];
        foreach (GroupId group in groups)
        {
            if (cluster.FindGroup(group) is null) continue;
            IReadOnlyList<InstalledView> spanning = cluster.ViewsOf(group);
            if (!ReferenceEquals(spanning, views))
            {
                views = spanning;
                facts = [.. views.Select(view => Learn(node, view, removals))];
            }
            CheckGroup(node, cluster, group, views, facts);
        }
    }

    private void CheckGroup(
        int node, ClusterView cluster, GroupId group, IReadOnlyList<InstalledView> views, RegionViewFacts[] regions)
    {
        (GroupId, StepNumber) number = (group, cluster.GroupViewOf(group));
        GroupViewFacts? known = _groupViews.GetValueOrDefault(number);
        // The same views of regions have the same members.
        HashSet<int> members = known is not null && known.Regions.AsSpan().SequenceEqual(regions)
            ? known.Members : MembersOf(node, group, views, regions);
        if (cluster.Layout.IsMember(group) != members.Contains(node))
        {
            throw run.Violation(
                "V4", $"node {node} is in group {group} or not, against the region views that it knows for it");
        }
        if (known is null) _groupViews.Add(number, new GroupViewFacts(members, regions));
        else if (known.Members != members && !known.Members.SetEquals(members))
        {
            throw run.Violation(
                "V4",
                $"view {number.Item2} of group {group} has members {Text(members)} at node {node} and "
                    + $"{Text(known.Members)} elsewhere");
        }
    }

    private HashSet<int> MembersOf(
        int node, GroupId group, IReadOnlyList<InstalledView> views, RegionViewFacts[] regions)
    {
        var members = new HashSet<int>();
        for (int region = 0; region < regions.Length; region++)
        {
            (InstalledView view, RegionViewFacts facts) = (views[region], regions[region]);
            if (!view.Region.Contains(group))
            {
                throw run.Violation(
                    "V4", $"at node {node} group {group} is spanned by {view}, whose region is without it");
            }
            for (int index = 0; index < facts.Members.Length; index++)
            {
                int member = facts.Members[index];
                if (view.IsMember(index, group) && !members.Add(member))
                {
                    throw run.Violation(
                        "V4", $"at node {node} group {group} is spanned twice over node {member}, once by {view}");
                }
            }
        }
        return members;
    }

    private RegionViewFacts Learn(int node, InstalledView view, RemovalChecks removals)
    {
        if (_compared.TryGetValue(view, out RegionViewFacts? compared)) return compared;
        compared = Learn(node, view);
        versions.OnInstalled(node, compared);
        removals.CheckView(node, view);
        _compared.Add(view, compared);
        return compared;
    }

    private RegionViewFacts Learn(int node, InstalledView view)
    {
        if (_views.TryGetValue(view.Number, out RegionViewFacts? facts))
        {
            if (!ReferenceEquals(facts.View, view) && Difference(facts.View, view) is { } difference)
            {
                throw run.Violation(
                    "V3", $"{view} at node {node} differs in {difference} from the same view elsewhere");
            }
            return facts;
        }
        int[] members = new int[view.Members.Length];
        for (int index = 0; index < members.Length; index++)
        {
            members[index] = NodeOf(view.Members[index].Number.Key);
            if (members[index] < 0)
                throw run.Violation("V3", $"{view} at node {node} names {view.Members[index]}, which never registered");
        }
        CheckUnion(node, view);
        facts = new RegionViewFacts(view, members);
        _views.Add(view.Number, facts);
        if (!_viewsByTag.TryAdd((view.Number.Tag, view.Number.Counter), facts))
        {
            throw run.Violation("V1", $"two views share the tag and counter of {view}");
        }
        return facts;
    }

    // A region has exactly the groups of its members.
    private void CheckUnion(int node, InstalledView view)
    {
        var union = new SortedSet<uint>();
        for (int index = 0; index < view.Members.Length; index++)
        {
            foreach (uint group in view.GroupsOf(index).Counters) union.Add(group);
        }
        if (union.SequenceEqual(view.Region.Groups.Counters.ToArray())) return;
        throw run.Violation(
            "V4",
            $"{view} at node {node} has groups {string.Join(',', view.Region.Groups)}, its members have "
                + string.Join(',', union));
    }

    private static string? Difference(InstalledView one, InstalledView other)
    {
        if (one.Region.Id != other.Region.Id) return "region";
        if (!one.Region.Groups.Counters.SequenceEqual(other.Region.Groups.Counters)) return "groups";
        if (one.FirstStep != other.FirstStep) return "first step";
        if (one.Multicast != other.Multicast) return "multicast address";
        if (one.Version != other.Version) return "version";
        if (one.Members.Length != other.Members.Length) return "number of members";
        for (int index = 0; index < one.Members.Length; index++)
        {
            NodeInfo left = one.Members[index], right = other.Members[index];
            if (!one.GroupsOf(index).Counters.SequenceEqual(other.GroupsOf(index).Counters))
                return $"groups of member {index}";
            if (left.Number != right.Number || left.Incarnation != right.Incarnation) return $"member {index}";
            if (left.Control != right.Control || left.Data != right.Data
                || left.ReceiveBufferBytes != right.ReceiveBufferBytes)
            {
                return $"address of member {index}";
            }
            if (one.Partitions.OfMember(index) != other.Partitions.OfMember(index))
                return $"partition of member {index}";
        }
        if (one.Partitions.Count != other.Partitions.Count
            || one.Partitions.Replication != other.Partitions.Replication) return "partitions";
        for (ulong sequence = 1; sequence <= (ulong)one.Partitions.Count; sequence++)
        {
            if (one.Partitions.OfSequence(sequence) != other.Partitions.OfSequence(sequence))
                return "partition of packets";
        }
        return null;
    }

    private static string Text(HashSet<int> members) => string.Join(',', members.Order());

    private sealed record GroupViewFacts(HashSet<int> Members, RegionViewFacts[] Regions);
}
