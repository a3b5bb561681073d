using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;
using QuickSilver.Testing.Nodes;
using InstalledView = QuickSilver.Protocol.Membership.RegionView;

namespace QuickSilver.Testing.Invariants;

/// <summary>
/// V8: once a core of nodes is well and the rest is dead or cut off for ever, the views of the core come to name
/// exactly the living members of the core, at every one of them.
/// </summary>
internal static class ConvergenceChecks
{
    /// <summary>The first view whose members are not exactly the expected ones.</summary>
    /// <param name="cluster">The cluster, which says which nodes are of the core.</param>
    /// <param name="mayStay">True for nodes that the server has no reason to take for dead: members that are deaf or
    /// mute hold nobody up while nobody sends.</param>
    /// <returns>What is wrong; null when all agree.</returns>
    public static string? FindDisagreement(SimulatedCluster cluster, Func<SimulatedNode, bool> mayStay)
    {
        var members = new Dictionary<string, SortedSet<int>>();
        // Nodes with one view of a group agree.
        var agreed = new HashSet<(GroupId, StepNumber)>();
        foreach (SimulatedNode node in cluster.Nodes)
        {
            if (!cluster.IsConcerned(node)) continue;
            if (node.State != SimulatedNodeState.Running) return $"{node} is not a member of the cluster";
            foreach (SimulatedGroup session in node.Groups.Concat(node.Publishers))
            {
                StepNumber view = node.Stack.Cluster.GroupViewOf(session.Id);
                if (agreed.Contains((session.Id, view))) continue;
                if (!members.TryGetValue(session.Name, out SortedSet<int>? expected))
                    members.Add(session.Name, expected = MembersOf(cluster, session.Name));
                if (FindDisagreement(cluster, node, session, expected, mayStay) is { } difference) return difference;
                // What several nodes have as this view is compared when they install it.
                if (cluster.Checks.Views.FindGroupView(session.Id, view) is not null) agreed.Add((session.Id, view));
            }
        }
        return null;
    }

    private static SortedSet<int> MembersOf(SimulatedCluster cluster, string group)
    {
        var members = new SortedSet<int>();
        foreach (SimulatedNode node in cluster.Nodes)
        {
            if (cluster.IsConcerned(node) && node.FindGroup(group) is not null) members.Add(node.Index);
        }
        return members;
    }

    private static string? FindDisagreement(
        SimulatedCluster cluster, SimulatedNode node, SimulatedGroup session, SortedSet<int> expected,
        Func<SimulatedNode, bool> mayStay)
    {
        var named = new SortedSet<int>();
        foreach (InstalledView view in node.Stack.Cluster.ViewsOf(session.Id))
        {
            foreach (NodeInfo member in view.MembersOf(session.Id))
            {
                // A node outside the core may still be in the view: no other node has to have noticed its state.
                int index = cluster.Checks.Views.NodeOf(member.Number.Key);
                if (index < 0 || !cluster.Nodes[index].IsMember || cluster.IsConcerned(cluster.Nodes[index]))
                    named.Add(index);
            }
        }
        if (named.IsSupersetOf(expected)
            && named.All(
                index => expected.Contains(index) || (cluster.Nodes[index].IsMember && mayStay(cluster.Nodes[index]))))
        {
            return null;
        }
        return $"{node}'s view of group {session.Name} names nodes {string.Join(',', named)}; its living members are "
            + $"{string.Join(',', expected)}";
    }
}
