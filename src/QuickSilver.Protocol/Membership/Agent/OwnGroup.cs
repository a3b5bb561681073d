using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership.Agent;

/// <summary>A group that this node is in.</summary>
/// <param name="info">The group's fixed properties.</param>
internal sealed class OwnGroup(GroupInfo info)
{
    /// <summary>The group's fixed properties.</summary>
    public GroupInfo Info { get; } = info;

    /// <summary>The step that last changed its member set.</summary>
    public StepNumber View { get; set; }

    /// <summary>The region views that it spans, as derived at <see cref="DerivedAt"/>.</summary>
    public IReadOnlyList<RegionView> Views { get; set; } = [];

    /// <summary>The layout for which <see cref="Views"/> was derived; 0: none yet.</summary>
    public ulong DerivedAt { get; set; }
}
