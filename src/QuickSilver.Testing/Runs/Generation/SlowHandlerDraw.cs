using QuickSilver.Testing.Faults;
using QuickSilver.Testing.Scheduling;

namespace QuickSilver.Testing.Runs.Generation;

/// <summary>
/// Draws applications whose handlers are slow for a while. Beside the other kinds and with dice of its own, so that all
/// else of a run is what it is without.
/// </summary>
internal static class SlowHandlerDraw
{
    private const double Runs = 0.08;

    private static readonly TimeSpan First = TimeSpan.FromMilliseconds(20);

    /// <summary>Draws the faults; none in most runs.</summary>
    public static List<Fault> Draw(SimulationRandom random, GeneratedCluster cluster)
    {
        var dice = new Dice(random, RandomStream.Faults, part: 9);
        if (cluster.MayGo.Length == 0 || !dice.Chance(Runs)) return [];
        int[] nodes = dice.Some(cluster.MayGo, dice.Chance(0.5) ? 0.1 : 0.4);
        if (nodes.Length == 0) nodes = [dice.Pick(cluster.MayGo)];
        return [.. nodes.Select(node =>
        {
            TimeSpan at = dice.Time(First, cluster.Length);
            return new SlowHandler(
                at, cluster.Until(at, dice.LogMillis(500, 60_000)), node, dice.LogMillis(0.05, 20));
        })];
    }
}
