using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Modes;
using QuickSilver.Protocol.Stack;
using QuickSilver.Testing.Runs;

namespace QuickSilver.Testing.Nodes;

/// <summary>One join of a simulated node, or one opening of publishers: watch it while the simulation runs.</summary>
internal sealed class SimulatedJoin : JoinRequest
{
    internal SimulatedJoin(SimulatedNode node, IReadOnlyList<string> names, bool isPublisher = false)
        : base(names, names.Count > 0 ? SimulatedModes.Of(names[0]) : GroupModes.Reliable, isPublisher)
    {
        Node = node;
        if (names.Any(name => SimulatedModes.Of(name) != Mode))
            throw new ArgumentException("One join has groups of one mode.", nameof(names));
    }

    /// <summary>The node that joins.</summary>
    public SimulatedNode Node { get; }

    /// <summary>True once every possible sender has switched: everything sent from now on is received.</summary>
    public bool IsCompleted { get; private set; }

    /// <summary>Why the join failed; null while it has not.</summary>
    public MembershipRefusal? Failure { get; private set; }

    /// <summary>What the engine of the groups' mode is told; null: its defaults.</summary>
    public override ModeSettings? ModeSettings =>
        Mode switch
        {
            GroupModes.Timed => Node.TimedSettings,
            GroupModes.Ordered => Node.OrderedSettings,
            _ => Node.ModeSettings,
        };

    /// <inheritdoc/>
    public override byte ModeOf(string groupName) =>
        Node.HybridGroups.Contains(groupName) ? GroupModes.Hybrid : Mode;

    /// <inheritdoc/>
    public override IGroupListener ListenerFor(GroupInfo group) => Node.Application.BeginSession(group, IsPublisher);

    /// <inheritdoc/>
    public override void OnAdmitted(LocalGroup group, Instant now)
    {
        group.WatchViews();
        Node.Application.OnAdmitted(group);
    }

    /// <inheritdoc/>
    public override void OnCompleted(Instant now)
    {
        IsCompleted = true;
        Node.Application.OnJoinCompleted(Names, IsPublisher);
    }

    /// <inheritdoc/>
    public override void OnFailed(MembershipRefusal reason, string groupName, Instant now) => Failure = reason;
}
