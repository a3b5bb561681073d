using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Membership.Server;
using QuickSilver.Testing.Membership;
using QuickSilver.Testing.Nodes;

namespace QuickSilver.Testing.Invariants;

/// <summary>
/// Which nodes count as removed, as the membership servers of a run announce it: a removed node owes nothing any
/// more, and nobody owes it anything.
/// <para>
/// The awkward case: a removal is lost with its server when all nodes that learned of it are dead or removed
/// themselves. No report to the next server names it then, and the node is a survivor like others: it is restored.
/// While one that was told may still report, the removal stands; the new server announces it again, or refuses the one
/// that was told.
/// </para>
/// </summary>
/// <param name="run">Where it is noted.</param>
/// <param name="checks">Know nodes by their numbers, and who was told of what.</param>
/// <param name="nodes">All nodes of the run; those removed are marked there.</param>
/// <param name="isConcerned">True for a living member that must still keep its promises.</param>
internal sealed class AnnouncedRemovals(
    RunContext run, ClusterChecks checks, List<SimulatedNode> nodes, Func<SimulatedNode, bool> isConcerned)
{
    private readonly Dictionary<int, ulong> _removedBy = [];
    private readonly SortedDictionary<int, ulong> _takenOver = [];
    private readonly List<Instant> _living = [];

    /// <summary>A server announces a removal; nobody has heard of it yet.</summary>
    /// <param name="key">Key of the node's number.</param>
    /// <param name="membership">The server.</param>
    /// <param name="reason">Why.</param>
    public void OnRemoved(ulong key, SimulatedMembership membership, MembershipRefusal reason)
    {
        if (checks.Views.NodeOf(key) is not (>= 0 and var index)) return;
        _removedBy[index] = membership.Servers;
        _takenOver.Remove(index);
        if (nodes[index].IsRemoved) return;
        checks.Removals.OnAnnounced(key, membership.LastStep);
        bool isOwed = isConcerned(nodes[index]);
        nodes[index].IsRemoved = true;
        run.Note(index, "removed");
        // The operator may have said that one which is broken for ever is gone.
        if (!isOwed) return;
        // A survivor that comes after the gathering is no member of the new server: it is refused when it says hello.
        bool isLate = reason == MembershipRefusal.None && membership.Speaker == nodes[index].Machine;
        if (!nodes[index].IsEnding && !isLate) CheckMajority(index);
        if (reason == MembershipRefusal.TooSlow) checks.Rates.OnShed(nodes[index]);
        else checks.Removals.OnRemoved(nodes[index]);
    }

    /// <summary>
    /// V10: a server that awaits a majority never removes, within a detector period, more living members than it keeps.
    /// Of those removed, nodes with a group or a publisher count that do not leave it: the server surely counts them.
    /// Of those kept, all count that it may count.
    /// </summary>
    private void CheckMajority(int index)
    {
        MembershipServerSettings settings = run.Options.Membership;
        if (!settings.AwaitMajority || settings.FailureTimeout <= TimeSpan.Zero) return;
        if (!nodes[index].HasGroups) return;
        _living.RemoveAll(at => run.Now - at > settings.FailureTimeout);
        _living.Add(run.Now);
        int kept = nodes.Count(static node => node is { IsMember: true, MayCount: true });
        if (_living.Count <= kept) return;
        throw run.Violation(
            "V10",
            $"{nodes[index]} was removed, the last of {_living.Count} living members in a detector period; {kept} "
                + $"are left");
    }

    /// <summary>A server welcomes a node under the number that a server before has given it.</summary>
    /// <param name="key">Key of the number.</param>
    /// <param name="server">The server that welcomes it.</param>
    public void OnTakenOver(ulong key, ulong server)
    {
        if (checks.Views.NodeOf(key) is not (>= 0 and var index) || !_removedBy.TryGetValue(index, out ulong remover))
            return;
        if (server != remover && nodes[index].IsRemoved) _takenOver[index] = key;
        RestoreForgotten();
    }

    /// <summary>
    /// Looks whose removal nobody can report any more. To be called from time to time, since those who were told die
    /// silently.
    /// </summary>
    public void RestoreForgotten()
    {
        foreach ((int index, ulong key) in (KeyValuePair<int, ulong>[])[.. _takenOver])
        {
            if (!nodes[index].IsAlive
                || nodes.Exists(node => isConcerned(node) && checks.Removals.WasTold(node.Index, key))) continue;
            _takenOver.Remove(index);
            nodes[index].IsRemoved = false;
            run.Note(index, "restored");
        }
    }
}
