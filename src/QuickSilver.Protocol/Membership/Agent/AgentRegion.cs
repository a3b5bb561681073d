namespace QuickSilver.Protocol.Membership.Agent;

/// <summary>A region that concerns this node.</summary>
/// <param name="info">The region's number and groups.</param>
internal sealed class AgentRegion(RegionInfo info)
{
    /// <summary>The region's number and groups.</summary>
    public RegionInfo Info { get; set; } = info;

    /// <summary>True from its description until the step that uses it.</summary>
    public bool IsNew { get; set; } = true;

    /// <summary>The region's current view; null when it is only the home of some
    /// members, and from its description until the step that opens it.</summary>
    public RegionView? Current { get; set; }
}
