using QuickSilver.Protocol.Membership;

namespace QuickSilver.Protocol.Lateral;

/// <summary>The nodes that share exactly some of this node's lateral groups with it.</summary>
/// <param name="groups">Indexes of the groups in the node's list, rising.</param>
internal sealed class LateralRegion(int[] groups)
{
    /// <summary>Indexes of the groups in the node's list, rising.</summary>
    public int[] Groups { get; } = groups;

    /// <summary>The nodes.</summary>
    public List<NodeInfo> Members { get; } = [];
}
