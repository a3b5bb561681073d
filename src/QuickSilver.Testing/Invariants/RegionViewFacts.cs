using InstalledView = QuickSilver.Protocol.Membership.RegionView;

namespace QuickSilver.Testing.Invariants;

/// <summary>One region view as the first node that installed it described it.</summary>
internal sealed class RegionViewFacts(InstalledView view, int[] members)
{
    /// <summary>The first node's own object.</summary>
    public InstalledView View { get; } = view;

    /// <summary>Indices of its members' nodes, in ring order.</summary>
    public int[] Members { get; } = members;
}
