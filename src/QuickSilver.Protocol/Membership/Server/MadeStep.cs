using QuickSilver.Protocol.Core;

namespace QuickSilver.Protocol.Membership.Server;

/// <summary>
/// A step on its way: made, being installed, activated, and at last settled. Concerned are all nodes whose notice is not empty: every member of every
/// group that it touched.
/// </summary>
/// <param name="step">Its counter.</param>
/// <param name="made">When it was made.</param>
internal sealed class MadeStep(ulong step, Instant made)
{
    /// <summary>Its counter.</summary>
    public ulong Step { get; } = step;

    /// <summary>When it was made.</summary>
    public Instant Made { get; } = made;

    /// <summary>Nodes concerned that have not installed it.</summary>
    public NodeBits ToInstall { get; } = new();

    /// <summary>Nodes concerned whose senders have not switched to it.</summary>
    public NodeBits ToSwitch { get; } = new();

    /// <summary>Nodes that joined groups with it, by number: they are told when it is settled.</summary>
    public List<ServerNode> Joiners { get; } = [];
}
