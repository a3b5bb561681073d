namespace QuickSilver.Protocol.Membership.Agent;

/// <summary>A region that matters to this node.</summary>
/// <param name="info">Its number and groups.</param>
internal sealed class AgentRegion(RegionInfo info)
{
    /// <summary>Its number and groups.</summary>
    public RegionInfo Info { get; set; } = info;

    /// <summary>Its current view; null from its description until the step that the description came with.</summary>
    public RegionView? Current { get; set; }
}
