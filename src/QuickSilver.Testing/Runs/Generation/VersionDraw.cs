using QuickSilver.Protocol.Wire;
using QuickSilver.Testing.Faults;
using QuickSilver.Testing.Scheduling;

namespace QuickSilver.Testing.Runs.Generation;

/// <summary>
/// Draws clusters of several builds, whose nodes are replaced by ones of other builds: in order, as in a rolling
/// upgrade that may be taken back, or at random. Beside the other kinds and with dice of its own, so that all else of a
/// run is what it is without.
/// </summary>
internal static class VersionDraw
{
    private const double Runs = 0.15;
    private const int Oldest = ProtocolVersions.OldestSpoken;

    private static readonly TimeSpan First = TimeSpan.FromMilliseconds(20);

    /// <summary>Draws the faults, and the builds of the start; no faults in most runs.</summary>
    public static List<Fault> Draw(SimulationRandom random, GeneratedCluster cluster, ref SimulationOptions options)
    {
        var dice = new Dice(random, RandomStream.Faults, part: 11);
        if (cluster.MayGo.Length == 0 || !dice.Chance(Runs)) return [];
        // Mostly a server of the newest build: an older one holds all views at its own version.
        int newest = Oldest + dice.Between(1, 3);
        int server = dice.Chance(0.8) ? newest : dice.Between(Oldest, newest + 1);
        bool isRolling = dice.Chance(0.6);
        var versions = new int[options.Nodes];
        for (int machine = 0; machine < versions.Length; machine++)
            versions[machine] = isRolling ? Oldest : dice.Between(Oldest, newest + 1);
        options = options with { NewestVersions = versions, ServerVersion = server };
        return isRolling ? Roll(dice, cluster, newest) : Replace(dice, cluster, newest);
    }

    private static List<Fault> Roll(Dice dice, GeneratedCluster cluster, int newest)
    {
        var faults = new List<Fault>();
        TimeSpan at = dice.Time(First, cluster.Length / 3);
        TimeSpan pause = (cluster.Length - at) / (cluster.MayGo.Length + 1) * dice.Unit();
        foreach (int machine in cluster.MayGo)
        {
            at += pause * (0.5 + (0.5 * dice.Unit()));
            Add(faults, cluster, dice, at, machine, newest);
            // It is taken back there.
            if (dice.Chance(0.1)) Add(faults, cluster, dice, at + (pause / 2), machine, Oldest);
        }
        return faults;
    }

    private static List<Fault> Replace(Dice dice, GeneratedCluster cluster, int newest)
    {
        var faults = new List<Fault>();
        for (int count = dice.Between(1, 7); count > 0; count--)
        {
            Add(
                faults, cluster, dice, dice.Time(First, cluster.Length), dice.Pick(cluster.MayGo),
                dice.Between(Oldest, newest + 1));
        }
        return faults;
    }

    private static void Add(
        List<Fault> faults, GeneratedCluster cluster, Dice dice, TimeSpan at, int machine, int newest)
    {
        TimeSpan duration = cluster.Until(at, dice.LogMillis(5, 5_000));
        if (duration > TimeSpan.Zero) faults.Add(new NodeUpgrade(at, duration, machine, newest));
    }
}
