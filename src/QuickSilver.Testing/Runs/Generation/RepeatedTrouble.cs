using QuickSilver.Testing.Faults;
using QuickSilver.Testing.Scheduling;

namespace QuickSilver.Testing.Runs.Generation;

/// <summary>
/// Draws trouble that comes again and again, each time for a moment: a process that is stopped and goes on, processes
/// that end and are started again before they have joined, a way that breaks and is mended. Beside the other kinds and
/// with dice of its own, so that all else of a run is what it is without.
/// </summary>
internal static class RepeatedTrouble
{
    private const double Runs = 0.09;
    private const int MostRestarting = 3;

    private static readonly TimeSpan First = TimeSpan.FromMilliseconds(20);

    private static readonly FaultKind[] Kinds =
        [FaultKind.Stutter, FaultKind.RestartStorm, FaultKind.FlappingWay];

    /// <summary>True for kinds that are drawn here.</summary>
    public static bool Draws(FaultKind kind) => Kinds.Contains(kind);

    /// <summary>The kinds that a run with faults knows.</summary>
    public static FaultKind[] DrawKinds(SimulationRandom random, GeneratorOptions bounds)
    {
        var dice = new Dice(random, RandomStream.Faults, part: 5);
        return [.. Kinds.Where(kind => dice.Chance(Runs) && !bounds.Without.Contains(kind))];
    }

    /// <summary>Draws the faults of these kinds.</summary>
    public static List<Fault> Draw(SimulationRandom random, GeneratedCluster cluster, FaultKind[] kinds)
    {
        var faults = new List<Fault>();
        foreach (FaultKind kind in kinds)
        {
            var dice = new Dice(random, RandomStream.Faults, part: 6 + (ulong)Array.IndexOf(Kinds, kind));
            TimeSpan at = dice.Time(First, cluster.Length / 2);
            switch (kind)
            {
                case FaultKind.Stutter:
                    DrawStutter(dice, cluster, at, faults);
                    break;
                case FaultKind.RestartStorm:
                    int[] nodes = cluster.MayGo.Length == 0 ? [] : dice.Some(cluster.MayGo, 0.3);
                    foreach (int node in nodes.Take(MostRestarting)) DrawRestarts(dice, cluster, at, node, faults);
                    break;
                default:
                    DrawFlapping(dice, cluster, at, faults);
                    break;
            }
        }
        return faults;
    }

    // Each stop is harmless alone.
    private static void DrawStutter(Dice dice, GeneratedCluster cluster, TimeSpan at, List<Fault> faults)
    {
        int node = dice.Between(0, cluster.Nodes);
        bool stopsClock = dice.Chance(0.2);
        for (int count = (int)dice.Log(3, 60); count > 0; count--)
        {
            TimeSpan stop = dice.LogMillis(1, Longest(cluster));
            if (at + stop >= cluster.Length) return;
            faults.Add(new NodeFreeze(at, stop, node, stopsClock));
            at += stop + dice.LogMillis(1, 2_000);
        }
    }

    private static void DrawRestarts(Dice dice, GeneratedCluster cluster, TimeSpan at, int node, List<Fault> faults)
    {
        for (int count = dice.Between(3, 13); count > 0; count--)
        {
            TimeSpan down = dice.LogMillis(5, 1_000);
            if (at + down >= cluster.Length) return;
            faults.Add(new NodeRestart(at, down, node));
            at += down + dice.LogMillis(5, 3_000);
        }
    }

    private static void DrawFlapping(Dice dice, GeneratedCluster cluster, TimeSpan at, List<Fault> faults)
    {
        int from = dice.Between(0, cluster.Nodes);
        int to = (from + dice.Between(1, cluster.Nodes)) % cluster.Nodes;
        bool isBothWays = dice.Chance(0.4);
        for (int count = (int)dice.Log(3, 60); count > 0; count--)
        {
            TimeSpan cut = dice.LogMillis(5, Longest(cluster));
            if (at + cut >= cluster.Length) return;
            faults.Add(new LinkCut(at, cut, from, to));
            if (isBothWays) faults.Add(new LinkCut(at, cut, to, from));
            at += cut + dice.LogMillis(5, 3_000);
        }
    }

    private static double Longest(GeneratedCluster cluster) =>
        cluster.HasDetector ? Math.Min(3_000, cluster.Patience.TotalMilliseconds / 3) : 3_000;
}
