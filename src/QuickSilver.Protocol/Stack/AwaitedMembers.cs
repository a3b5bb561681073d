using QuickSilver.Protocol.Membership;

namespace QuickSilver.Protocol.Stack;

/// <summary>
/// Whom messages of this node wait for: the members of the region views in which they are not known to be stable. Feedback tells how far the slowest
/// of a view is, not which member that is; but a member that does not answer the token is known to the leader of its ring and to whom the token comes
/// after it, and stands first here when this node is one of them. A picture of one moment, made for people; O(pending messages + members).
/// </summary>
public sealed class AwaitedMembers
{
    private readonly HashSet<NodeInfo> _seen = [];
    private readonly List<NodeInfo> _silent = [];
    private readonly List<NodeInfo> _others = [];

    /// <summary>Members that do not answer, as far as this node's own ring knows.</summary>
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
}
