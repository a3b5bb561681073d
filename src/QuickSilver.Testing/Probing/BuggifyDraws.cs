using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Probing;
using QuickSilver.Testing.Scheduling;

namespace QuickSilver.Testing.Probing;

/// <summary>
/// Decides one node's rare turns: a hash of (seed, node, site, count), so that taking one out of a run leaves the
/// others as they are.
/// </summary>
/// <param name="random">The run's decisions.</param>
/// <param name="node">Index of the node; one more than the last for the membership server.</param>
/// <param name="sites">Where rare turns may be taken: one bit for each site.</param>
/// <param name="chance">How often one is taken there.</param>
internal sealed class BuggifyDraws(SimulationRandom random, int node, ulong sites, double chance) : IBuggify
{
    private readonly ulong[] _asked = new ulong[Enum.GetValues<BuggifySite>().Length];

    /// <inheritdoc/>
    public bool Decide(BuggifySite site)
    {
        if ((sites & (1UL << (int)site)) == 0) return false;
        return random.DrawUnit(RandomStream.Buggify, (ulong)node, (ulong)site, _asked[(int)site]++) < chance;
    }
}
