using QuickSilver.Protocol.Core;

namespace QuickSilver.Protocol.Membership.Server;

/// <summary>
/// A step in progress: made, being installed, activated, finally settled. It concerns the nodes whose notification is
/// not empty: every member of every group that it changed.
/// </summary>
/// <param name="step">The counter of the step.</param>
/// <param name="made">The time when it was made.</param>
internal sealed class MadeStep(ulong step, Instant made)
{
    /// <summary>The counter of the step.</summary>
    public ulong Step { get; } = step;

    /// <summary>The time when it was made.</summary>
    public Instant Made { get; } = made;

    /// <summary>Nodes concerned that have not installed it.</summary>
    public NodeBits ToInstall { get; } = new();

    /// <summary>Nodes concerned whose senders have not switched to it.</summary>
    public NodeBits ToSwitch { get; } = new();

    /// <summary>Nodes that joined groups with it, by number: they are notified when it settles.</summary>
    public List<ServerNode> Joiners { get; } = [];
}
