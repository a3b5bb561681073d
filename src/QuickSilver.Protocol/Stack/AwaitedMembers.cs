using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Recovery;

namespace QuickSilver.Protocol.Stack;

/// <summary>
/// The members that messages of this node wait for: those of the region views in which the messages are not known to be
/// stable, the slowest first. Feedback reports the progress of the slowest member of a view, and names the members that
/// are behind (<see cref="LaggingMember"/>). All others follow, in the order of their views. A member that does not
/// answer the token is also known to the leader of its ring, and to the member that the token visits after it. A
/// snapshot for diagnostics; O(pending messages + members).
/// </summary>
internal sealed class AwaitedMembers
{
    private readonly HashSet<NodeInfo> _seen = [];
    private readonly List<NodeInfo> _silent = [];
    private readonly List<NodeInfo> _others = [];
    private readonly List<LaggingMember> _behind = [];

    /// <summary>Members that are reported behind, the slowest first.</summary>
    public IReadOnlyList<LaggingMember> Behind => _behind;

    /// <summary>Other members that do not answer, as far as this node's own ring knows.</summary>
    public IReadOnlyList<NodeInfo> Silent => _silent;

    /// <summary>All other members of the views in question, except this node and the removed.</summary>
    public IReadOnlyList<NodeInfo> Others => _others;

    /// <summary>True when messages wait to be bound, because a newer step is installed and not yet in use.</summary>
    public bool WaitsForStep { get; internal set; }

    internal void Add(NodeInfo member, bool isSilent)
    {
        if (isSilent && _others.Remove(member)) _silent.Add(member);
        if (_seen.Add(member)) (isSilent ? _silent : _others).Add(member);
    }

    /// <summary>Moves the members that are behind out of the other lists.</summary>
    /// <param name="lagging">All members that are behind, the slowest first.</param>
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
