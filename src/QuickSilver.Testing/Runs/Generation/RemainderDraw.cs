using QuickSilver.Testing.Faults;
using QuickSilver.Testing.Scheduling;

namespace QuickSilver.Testing.Runs.Generation;

/// <summary>Draws what stays broken after the first phase: a random core is well from then on, the other machines are
/// dead, deaf, mute, frozen or cut off for ever, and the core must go on without them.</summary>
internal static class RemainderDraw
{
    private static readonly TimeSpan ForEver = TimeSpan.FromDays(1);

    /// <summary>Draws the faults of what is not of the core; none: all are well.</summary>
    public static IReadOnlyList<Fault> Draw(SimulationRandom random, GeneratedCluster cluster)
    {
        var dice = new Dice(random, RandomStream.Faults, part: 2);
        if (cluster.MayGo.Length == 0 || !dice.Chance(0.4)) return [];
        int[] rest = dice.Some(cluster.MayGo, dice.Chance(0.5) ? 0.2 : 0.6);
        if (rest.Length == cluster.Nodes) rest = rest[1..];
        if (rest.Length == 0) return [];
        TimeSpan at = cluster.Length;
        bool stuck = cluster.Bounds.MembersMayBeStuck && cluster.HasDetector;
        if (stuck && dice.Chance(0.2)) return [new Islands(at, ForEver, [rest], FromServer: true)];
        return [.. rest.Select(node => Break(dice, at, node, stuck))];
    }

    private static Fault Break(Dice dice, TimeSpan at, int node, bool stuck) => (stuck ? dice.Between(0, 4) : 0) switch
    {
        1 => new DeafNode(at, ForEver, node),
        2 => new MuteNode(at, ForEver, node),
        3 => new NodeFreeze(at, ForEver, node),
        _ => new NodeCrash(at, node),
    };
}
