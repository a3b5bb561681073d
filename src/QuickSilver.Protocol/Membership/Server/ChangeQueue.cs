using System.Diagnostics;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Probing;

namespace QuickSilver.Protocol.Membership.Server;

/// <summary>
/// Queue of the changes that nodes have requested and that no step contains yet. It chooses which changes of a node may
/// go into one step together.
/// <para>
/// A change stays in the queue in two cases: the step already changes that node and group, or it is a join of a group
/// whose leave the node has not installed. It keeps its place before later changes of the same node and group.
/// </para>
/// <para>
/// Use, for each node: <see cref="Choose"/>; then <see cref="TakeChosen"/> if the step takes the choice, or nothing if
/// all changes of the node wait. The queue is part of the server: core thread only.
/// </para>
/// </summary>
internal sealed class ChangeQueue(ServerGroups groups, Probes probes)
{
    private readonly HashSet<ulong> _changed = [];
    private List<GroupChange> _kept = [];

    /// <summary>Number of requested changes that no step contains yet.</summary>
    public int Count { get; private set; }

    /// <summary>The groups that the last choice joins.</summary>
    public List<uint> Joined { get; } = [];

    /// <summary>The groups that the last choice leaves.</summary>
    public List<uint> Left { get; } = [];

    /// <summary>The groups that the last choice begins to publish to.</summary>
    public List<uint> Opened { get; } = [];

    /// <summary>The groups that the last choice ceases to publish to.</summary>
    public List<uint> Closed { get; } = [];

    /// <summary>Adds a change.</summary>
    public void Add(ServerNode node, GroupChange change)
    {
        Debug.Assert(!node.Info.IsRemoved, "removed nodes ask for nothing");
        node.WaitingChanges.Add(change);
        Count++;
        if (!change.IsJoin) return;
        node.WaitingJoins++;
        groups.Retain(change.Group);
    }

    /// <summary>
    /// Requests for a node the groups that it had under the former server, and those that it published to, with the
    /// next step.
    /// </summary>
    public void Inherit(ServerNode node, uint[] inherited, uint[] published)
    {
        Debug.Assert(node.IsInherited && node.Inherited is null, "a node is taken over once");
        node.Inherited = inherited;
        node.InheritedPublished = published;
        groups.Retain(inherited);
        groups.Retain(published);
        Count++;
    }

    /// <summary>Drops what a removed node has requested.</summary>
    public void Drop(ServerNode node)
    {
        Count -= node.WaitingChanges.Count;
        Keep(node, []);
        if (node.Inherited is not null) TakeInherited(node);
    }

    /// <summary>Takes out what <see cref="Inherit"/> has requested for a node.</summary>
    public void TakeInherited(ServerNode node)
    {
        Debug.Assert(node.Inherited is not null, "the groups wait");
        Count--;
        groups.Release(node.Inherited!);
        groups.Release(node.InheritedPublished);
        node.Inherited = null;
        node.InheritedPublished = [];
    }

    /// <summary>Chooses the changes of a node that one step may contain.</summary>
    /// <returns>True when there are any, now in <see cref="Joined"/>, <see cref="Left"/>, <see cref="Opened"/> and
    /// <see cref="Closed"/>. Changes without an effect are in none.</returns>
    public bool Choose(ServerNode node)
    {
        Debug.Assert(node.Inherited is null, "what a node brought goes before what it asks for");
        Clear();
        _kept = [];
        foreach (GroupChange change in node.WaitingChanges)
        {
            if (_changed.Contains(change.Subject))
            {
                probes.Reached("two changes of one node and group cannot share a step");
                _kept.Add(change);
                continue;
            }
            uint[] had = change.IsPublisher ? node.Published : node.Groups;
            if (SortedCounters.Contains(had, change.Group) == change.IsJoin) continue;
            _changed.Add(change.Subject);
            if (change.IsJoin && node.LeftIn.TryGetValue(change.Subject, out ulong left) && left > node.Installed)
            {
                probes.Reached("a join waits for its node to install its leave");
                _kept.Add(change);
            }
            else if (change.IsPublisher) (change.IsJoin ? Opened : Closed).Add(change.Group);
            else (change.IsJoin ? Joined : Left).Add(change.Group);
        }
        return Joined.Count + Left.Count + Opened.Count + Closed.Count > 0;
    }

    /// <summary>Takes out the last choice, which was of this node, and the changes without an effect.</summary>
    public void TakeChosen(ServerNode node)
    {
        Count -= node.WaitingChanges.Count - _kept.Count;
        Keep(node, _kept);
    }

    /// <summary>Forgets the last choice and gives back the room that a large one took.</summary>
    public void ForgetChoice()
    {
        Clear();
        SpareRoom.GiveBack(_changed);
        SpareRoom.GiveBack(Joined);
        SpareRoom.GiveBack(Left);
        SpareRoom.GiveBack(Opened);
        SpareRoom.GiveBack(Closed);
    }

    private void Clear()
    {
        _changed.Clear();
        Joined.Clear();
        Left.Clear();
        Opened.Clear();
        Closed.Clear();
    }

    // A waiting join is itself a reference to its group: a group without others must live until the join is granted.
    private void Keep(ServerNode node, List<GroupChange> kept)
    {
        List<GroupChange> before = node.WaitingChanges;
        node.WaitingChanges = kept;
        node.WaitingJoins = 0;
        foreach (GroupChange change in kept)
        {
            if (!change.IsJoin) continue;
            node.WaitingJoins++;
            groups.Retain(change.Group);
        }
        foreach (GroupChange change in before)
        {
            if (change.IsJoin) groups.Release(change.Group);
        }
    }
}
