using QuickSilver.Protocol.Core;

namespace QuickSilver.Bench.Chaos;

/// <summary>
/// A chaos run as data, drawn from a seed: who is in which group, and what happens when. The same seed gives the same
/// plan; what the machine makes of it differs from run to run.
/// <para>
/// Nodes fall into classes, and each group is joined by whole classes, so that regions have several members: what
/// survivors of a region owe each other could not be checked on regions of one. The senders are the first nodes, and
/// lie in different classes.
/// </para>
/// </summary>
internal sealed class ChaosPlan
{
    /// <summary>Number of classes: regions, while all is well.</summary>
    public const int Classes = 4;

    private const double MeanPause = 1.3;

    private readonly int[][] _classesOf;

    /// <summary>Draws a plan.</summary>
    public ChaosPlan(ulong seed, int nodes, int groups, double seconds, double failureTimeout)
    {
        var random = new SeededRandom(seed);
        Nodes = nodes;
        _classesOf = new int[groups][];
        for (int group = 0; group < groups; group++)
        {
            ulong mask = 0;
            while (mask == 0) mask = random.NextBelow(1UL << Classes);
            _classesOf[group] = [.. Enumerable.Range(0, Classes).Where(index => (mask >> index & 1) != 0)];
        }
        Faults = [.. Draw(random, nodes, seconds, failureTimeout)];
    }

    /// <summary>How many nodes.</summary>
    public int Nodes { get; }

    /// <summary>What happens, by time.</summary>
    public IReadOnlyList<ChaosFault> Faults { get; }

    /// <summary>The class of a node.</summary>
    public static int ClassOf(int node) => node % Classes;

    /// <summary>The groups of a node, by number.</summary>
    public int[] GroupsOf(int node) =>
        [.. Enumerable.Range(0, _classesOf.Length).Where(group => _classesOf[group].Contains(ClassOf(node)))];

    /// <summary>The nodes that are killed together with a class's others when one is spared.</summary>
    public IEnumerable<int> Mates(int node) =>
        Enumerable.Range(0, Nodes).Where(other => other != node && ClassOf(other) == ClassOf(node));

    private static IEnumerable<ChaosFault> Draw(SeededRandom random, int nodes, double seconds, double failureTimeout)
    {
        double at = 0;
        while (true)
        {
            at += MeanPause * (0.2 + (1.6 * random.NextDouble()));
            if (at >= seconds) yield break;
            ChaosFaultKind kind = random.NextBelow(20) switch
            {
                < 6 => ChaosFaultKind.Kill,
                < 9 => ChaosFaultKind.KillHost,
                < 10 => ChaosFaultKind.KillClass,
                < 14 => ChaosFaultKind.ShortStop,
                < 17 => ChaosFaultKind.LongStop,
                < 19 => ChaosFaultKind.Bounce,
                _ => ChaosFaultKind.Restart,
            };
            int node = (int)random.NextBelow((ulong)nodes);
            double share = random.NextDouble();
            double lasts = kind switch
            {
                ChaosFaultKind.ShortStop => failureTimeout * (0.02 + (0.7 * share)),
                ChaosFaultKind.LongStop => failureTimeout * (1.2 + (1.3 * share)),
                ChaosFaultKind.Bounce or ChaosFaultKind.Restart => 0,
                // Half the time the next life begins before anybody can have noticed the end of the last.
                _ => share < 0.5 ? 0 : failureTimeout * 3 * (share - 0.5),
            };
            yield return new ChaosFault(at, kind, node, lasts);
        }
    }
}
