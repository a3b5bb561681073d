using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Stack;

namespace QuickSilver.Testing.Nodes;

/// <summary>One join of a simulated node: watch it while the simulation runs.</summary>
public sealed class SimulatedJoin : JoinRequest
{
    private readonly SimulatedNode _node;

    internal SimulatedJoin(SimulatedNode node, IReadOnlyList<string> names)
        : base(names, mode: 0) => _node = node;

    /// <summary>True once every possible sender has switched: everything sent from now on is received.</summary>
    public bool IsCompleted { get; private set; }

    /// <summary>Why the join failed; null while it has not.</summary>
    public MembershipRefusal? Failure { get; private set; }

    /// <inheritdoc/>
    public override void OnAdmitted(LocalGroup group, Instant now) => _node.Application.OnAdmitted(group);

    /// <inheritdoc/>
    public override void OnCompleted(Instant now)
    {
        IsCompleted = true;
        _node.Application.OnJoinCompleted(Names);
    }

    /// <inheritdoc/>
    public override void OnFailed(MembershipRefusal reason, string groupName, Instant now) => Failure = reason;
}
