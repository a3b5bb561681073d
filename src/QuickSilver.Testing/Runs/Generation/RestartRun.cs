using QuickSilver.Protocol.Membership.Agent;
using QuickSilver.Protocol.Membership.Server;
using QuickSilver.Testing.Faults;
using QuickSilver.Testing.Network;
using QuickSilver.Testing.Scheduling;

namespace QuickSilver.Testing.Runs.Generation;

/// <summary>
/// Writes runs about the liveness of the membership: random sets of processes die and come back under their names, the
/// membership host on machine 0 among them, whole racks at once; and the host's port is cut for longer than the
/// detector's patience. When nothing happens any more, all who live must be in one view within a detector period and
/// five seconds (V9).
/// </summary>
internal static class RestartRun
{
    private const string Group = "all";
    private const double Longest = 15_000;
    private static readonly TimeSpan Settling = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan Allowance = TimeSpan.FromSeconds(5);

    /// <summary>Writes a run. Same seed, same run.</summary>
    /// <param name="seed">Decides everything.</param>
    public static RunSpec Generate(ulong seed)
    {
        var random = new SimulationRandom(seed);
        var dice = new Dice(random, RandomStream.Topology, part: 900);
        int nodes = dice.Between(3, 13);
        bool isHost = dice.Chance(0.75);
        TimeSpan patience = TimeSpan.FromSeconds(dice.Chance(0.2) ? 10 : dice.Between(2, 6));
        TimeSpan grace = TimeSpan.FromMilliseconds(dice.Between(500, 2_001));
        var faults = new List<Fault>();
        TimeSpan at = Settling;
        for (int rounds = dice.Between(1, 5); rounds > 0; rounds--)
        {
            at += dice.Time(TimeSpan.FromMilliseconds(100), TimeSpan.FromSeconds(12));
            if (isHost && dice.Chance(0.15))
                faults.AddRange(HostTrouble.Cut(at, patience * (0.5 + (2 * dice.Unit())), 0, nodes));
            else if (dice.Chance(0.3)) KillForLong(dice, faults, at, patience, nodes);
            else Kill(dice, faults, at, nodes);
        }
        TimeSpan end = faults.Max(static fault => fault.At + fault.Duration);
        return new RunSpec
        {
            Options = new SimulationOptions
            {
                Nodes = nodes,
                Seed = seed,
                Restarts = 40 * nodes,
                ReconnectPause = isHost ? ReconnectPace.Longest : TimeSpan.FromMilliseconds(100),
                RejoinDelay = TimeSpan.FromMilliseconds(dice.Between(10, 1_000)),
                Network = new NetworkModel { Link = new LinkModel { Loss = dice.Chance(0.5) ? 0 : 0.02 } },
                Membership = new MembershipServerSettings
                {
                    FailureTimeout = patience,
                    ReconnectGrace = grace,
                    FoundingGrace = isHost ? ReconnectPace.HostFoundingGrace : ReconnectPace.LoopbackFoundingGrace,
                    AwaitMajority = isHost,
                    TakeoverTimeout = isHost ? null : grace,
                },
            },
            Groups = [.. Enumerable.Range(0, nodes).Select(node => Groups(dice, node))],
            Plans = [
                new SendPlan(dice.Between(0, nodes), Group, 20, TimeSpan.FromMilliseconds(200)) { Start = Settling }],
            Faults = faults,
            HealAt = end,
            JoinLimit = patience + Allowance,
            ConvergenceLimit = patience + Allowance,
            SettleLimit = TimeSpan.FromSeconds(60),
            Traits = [isHost ? "Host" : "Loopback"],
        };
    }

    // Everybody is in one group; some are in another one besides, so that there are several regions.
    private static IReadOnlyList<string> Groups(Dice dice, int node) =>
        dice.Chance(0.2) ? [Group, $"part-{node % 2}"] : [Group];

    private static void Kill(Dice dice, List<Fault> faults, TimeSpan at, int nodes)
    {
        int[] dead = dice.Some([.. Enumerable.Range(0, nodes)], dice.Chance(0.4) ? 0.85 : dice.Chance(0.5) ? 0.5 : 0.2);
        // The host goes with most of the others, or a few of them go without it.
        if (dead.Length > nodes / 2 && !dead.Contains(0) && dice.Chance(0.7)) dead = [0, .. dead];
        bool isRack = dice.Chance(0.5);
        TimeSpan rack = dice.LogMillis(20, Longest);
        foreach (int node in dead)
        {
            TimeSpan down = isRack ? rack : node == 0 ? dice.LogMillis(20, 2_000) : dice.LogMillis(100, Longest);
            TimeSpan when = isRack ? at : at + TimeSpan.FromMilliseconds(dice.Between(0, 1_000));
            faults.Add(new NodeRestart(when, down, node));
            // The server is in the host's process.
            if (node == 0) faults.Add(new ServerOutage(when, down));
        }
    }

    // The host is back soon, a few survive, and the others stay away for longer than survivors are waited for.
    private static void KillForLong(Dice dice, List<Fault> faults, TimeSpan at, TimeSpan patience, int nodes)
    {
        TimeSpan down = dice.LogMillis(20, 1_000);
        faults.Add(new NodeRestart(at, down, 0));
        faults.Add(new ServerOutage(at, down));
        for (int node = 2; node < nodes; node++)
        {
            if (dice.Chance(0.85)) faults.Add(new NodeRestart(at, down + (patience * (1.2 + dice.Unit())), node));
        }
    }
}
