using QuickSilver.Testing.Nodes;
using QuickSilver.Testing.Runs;

namespace QuickSilver.Testing.Invariants;

/// <summary>
/// The end of a removed sender (D5): members of one region view that survive it deliver the same of its messages there,
/// all or none of each, unless a whole partition of the view failed with it. Looked at when a run has settled;
/// O(unstable messages of removed senders x members).
/// </summary>
internal static class PrefixChecks
{
    /// <summary>
    /// The first node that has not heard of a sender's removal yet, or is not done with what that sender left. The
    /// promise holds once its streams are closed; until then survivors may be at different messages, and hold what
    /// follows a gap.
    /// </summary>
    /// <returns>The invariant and what is missing; null when all removed senders are closed.</returns>
    public static (string Invariant, string Missing)? FindOpen(
        IReadOnlyList<SimulatedNode> nodes, ClusterChecks checks, Func<SimulatedNode, bool> isConcerned)
    {
        foreach (SimulatedNode gone in nodes)
        {
            if (!gone.IsRemoved || gone.Stack.Cluster.Self is not { } self || !HasSent(checks, gone)) continue;
            ulong key = self.Number.Key;
            foreach (SimulatedNode node in nodes)
            {
                if (!isConcerned(node)) continue;
                if (node.Stack.Cluster.FindNode(key) is { IsRemoved: false })
                {
                    return ("D5", $"node {node.Index} has not heard that node {gone.Index} is removed");
                }
                if (node.Stack.Rooms.Recoverer.IsClosing(key))
                {
                    return (
                        "D5", $"node {node.Index} has not closed the streams of node {gone.Index}, which is removed");
                }
            }
        }
        return null;
    }

    /// <summary>The first message that some survivors of a view delivered and others did not. To be asked when nothing
    /// is open.</summary>
    /// <returns>What was seen; null when all agree.</returns>
    public static string? FindDifference(SimulatedCluster cluster, ClusterChecks checks)
    {
        foreach (((int groupIndex, int sender, ulong number), List<Carrier> carriers) in checks.Stability.Unstable)
        {
            // Of a sender that crashed and that nobody has missed yet, nothing is closed.
            if (!cluster.Nodes[sender].IsRemoved) continue;
            GroupLog group = checks.Groups[groupIndex];
            if (group.Find(sender) is not { } log || !log.Has(number) || !log[number].IsNumbered) continue;
            foreach (Carrier carrier in carriers)
            {
                RegionViewFacts view = carrier.Stream.View;
                if (HasLostPartition(cluster, view, sender)) continue;
                if (FindDifference(cluster, view, group, sender, number, log[number]) is { } difference)
                    return difference;
            }
        }
        return null;
    }

    private static bool HasSent(ClusterChecks checks, SimulatedNode node)
    {
        foreach (GroupLog group in checks.Groups)
        {
            if (SimulatedModes.Of(group.Name) != 0) continue;
            if (group.Find(node.Index) is { Count: > 0 }) return true;
        }
        return false;
    }

    private static string? FindDifference(
        SimulatedCluster cluster, RegionViewFacts view, GroupLog group, int sender, ulong number,
        in SentMessage message)
    {
        int with = -1, without = -1;
        foreach (int member in view.Members)
        {
            SimulatedNode node = cluster.Nodes[member];
            if (!cluster.IsConcerned(node) || node.FindGroup(group.Name) is not { } session
                || message.GroupView < session.Began) continue;
            if (session.HasDelivered(sender, number)) with = member;
            else without = member;
        }
        if (with < 0 || without < 0) return null;
        return $"message {number} of node {sender}, which is gone, to {group.Name} "
            + $"was delivered by node {with} of {view.View}, and not by node {without}";
    }

    private static bool HasLostPartition(SimulatedCluster cluster, RegionViewFacts view, int sender)
    {
        int partitions = view.View.Partitions.Count;
        var survivors = new bool[partitions];
        for (int index = 0; index < view.Members.Length; index++)
        {
            int member = view.Members[index];
            if (member != sender && cluster.IsConcerned(cluster.Nodes[member]))
                survivors[view.View.Partitions.OfMember(index)] = true;
        }
        return Array.Exists(survivors, survives => !survives);
    }
}
