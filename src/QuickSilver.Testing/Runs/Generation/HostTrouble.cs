using QuickSilver.Testing.Faults;

namespace QuickSilver.Testing.Runs.Generation;

/// <summary>
/// Draws trouble of the machine that hosts the membership: it dies with others and comes back with them, or most others
/// stay away longer, or its port is cut. Processes that come back have their old names and addresses.
/// </summary>
internal static class HostTrouble
{
    /// <summary>A rack restarts: many processes, the host among them, die together and come back.</summary>
    public static List<Fault> DrawRack(Dice dice, GeneratedCluster cluster, TimeSpan at)
    {
        int[] dead = dice.Some(cluster.MayGo, dice.Chance(0.5) ? 0.85 : 0.4);
        int host = dice.Pick(dead);
        bool isTogether = dice.Chance(0.5);
        TimeSpan down = dice.LogMillis(20, 15_000);
        var faults = new List<Fault>();
        foreach (int node in dead)
        {
            TimeSpan when = isTogether ? at : at + cluster.Until(at, dice.Millis(0, 500));
            TimeSpan length = cluster.Until(when, isTogether ? down : dice.LogMillis(20, 15_000));
            faults.Add(new NodeRestart(when, length, node));
            if (node == host) faults.Add(new ServerOutage(when, length));
        }
        return faults;
    }

    /// <summary>A minority survives: the host is back soon, most others later than they are waited for.</summary>
    public static List<Fault> DrawMinority(Dice dice, GeneratedCluster cluster, TimeSpan at)
    {
        int[] nodes = [.. cluster.MayGo.Order()];
        TimeSpan down = cluster.Until(at, dice.LogMillis(20, 1_000));
        TimeSpan patience = cluster.HasDetector ? cluster.Patience : TimeSpan.FromSeconds(5);
        var faults = new List<Fault> { new NodeRestart(at, down, nodes[0]), new ServerOutage(at, down) };
        foreach (int node in nodes.Skip(1))
        {
            if (!dice.Chance(0.7)) continue;
            faults.Add(new NodeRestart(at, cluster.Until(at, down + (patience * (1.2 + dice.Unit()))), node));
        }
        return faults;
    }

    /// <summary>The host's port is cut: it sees nobody and nobody sees it, while the others see each other.</summary>
    public static List<Fault> DrawCut(Dice dice, GeneratedCluster cluster, TimeSpan at)
    {
        TimeSpan patience = cluster.HasDetector ? cluster.Patience : TimeSpan.FromSeconds(5);
        TimeSpan duration = cluster.Until(at, patience * (0.3 + (2 * dice.Unit())));
        return Cut(at, duration, dice.Between(0, cluster.Nodes), cluster.Nodes, isBroken: dice.Chance(0.3));
    }

    /// <summary>The port of a machine that hosts the membership is cut.</summary>
    /// <param name="at">When.</param>
    /// <param name="duration">For how long.</param>
    /// <param name="host">The machine.</param>
    /// <param name="nodes">How many machines there are.</param>
    /// <param name="isBroken">True: the channels break; false: what is sent by them arrives afterwards.</param>
    public static List<Fault> Cut(TimeSpan at, TimeSpan duration, int host, int nodes, bool isBroken = false)
    {
        var faults = new List<Fault> { new Islands(at, duration, [[host]], FromServer: false) };
        for (int node = 0; node < nodes; node++)
        {
            if (node == host) continue;
            faults.Add(isBroken ? new MembershipOutage(at, duration, node) : new MembershipStall(at, duration, node));
        }
        return faults;
    }
}
