using QuickSilver.Protocol.Membership;

namespace QuickSilver.Protocol.Stack;

/// <summary>
/// Whom messages of this node wait for: the members of the region views in which they are not known to be stable, the slowest first. Feedback tells
/// how far the slowest of a view is, and names the members that are behind (<see cref="LaggingMember"/>); all others come after these, in the order
/// of their views. A member that does not answer the token is known to the leader of its ring and to whom the token comes after it, too. A picture of
/// one moment, made for people; O(pending messages + members).
/// </summary>
public sealed class AwaitedMembers
{
    private readonly HashSet<NodeInfo> _seen = [];
    private readonly List<NodeInfo> _silent = [];
    private readonly List<NodeInfo> _others = [];
    private readonly List<LaggingMember> _behind = [];

    /// <summary>Members that are said to be behind, the slowest first.</summary>
    public IReadOnlyList<LaggingMember> Behind => _behind;

    /// <summary>Other members that do not answer, as far as this node's own ring knows.</summary>
    public IReadOnlyList<NodeInfo> Silent => _silent;

    /// <summary>All other members of the views in question, but for this node and the removed.</summary>
    public IReadOnlyList<NodeInfo> Others => _others;

    /// <summary>True when messages wait to be bound, because a newer step is installed and not yet in use.</summary>
    public bool WaitsForStep { get; internal set; }

    internal void Add(NodeInfo member, bool isSilent)
    {
        if (isSilent && _others.Remove(member)) _silent.Add(member);
        if (_seen.Add(member)) (isSilent ? _silent : _others).Add(member);
    }

    /// <summary>Takes those that are behind out of the rest.</summary>
    /// <param name="lagging">All that are, the slowest first.</param>
    internal void Sort(IReadOnlyList<LaggingMember> lagging)
    {
        foreach (LaggingMember lag in lagging)
        {
            if (!_seen.Contains(lag.Member)) continue;
            _behind.Add(lag);
            _silent.Remove(lag.Member);
            _others.Remove(lag.Member);
        }
    }
}
