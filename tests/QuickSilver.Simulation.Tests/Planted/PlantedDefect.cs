using QuickSilver.Simulation.Tests.Planted.Breaking;
using QuickSilver.Simulation.Tests.Planted.Defects;

namespace QuickSilver.Simulation.Tests.Planted;

/// <summary>A plausible mistake, where it is looked for, and which invariants may find it.</summary>
/// <param name="Name">Its name.</param>
/// <param name="Wrong">The mistake, in one sentence.</param>
/// <param name="Place">A run, or kind of runs, in which it is looked for: see <see cref="PlantedPlace"/>.</param>
/// <param name="Within">Seeds in which it must be found.</param>
/// <param name="Invariants">Invariants that may find it.</param>
internal sealed record PlantedDefect(string Name, string Wrong, string Place, int Within, params string[] Invariants)
{
    /// <summary>All defects.</summary>
    public static IReadOnlyList<PlantedDefect> All { get; } =
    [
        .. RecoveryDefects.All, .. SendingDefects.All, .. HybridDefects.All, .. DeliveryDefects.All,
        .. LongMessageDefects.All, .. MembershipDefects.All, .. ElectionDefects.All, .. PeerDefects.All,
        .. PublisherDefects.All,
        .. LateralDefects.All, .. TimedDefects.All, .. SecurityDefects.All, .. SiteDefects.All, .. OrderedDefects.All,
    ];

    /// <summary>What is changed in the sources to make the mistake.</summary>
    public required SourcePatch[] Patches { get; init; }

    /// <summary>The defect of a name.</summary>
    public static PlantedDefect Find(string name) => All.Single(defect => defect.Name == name);
}
