using QuickSilver.Protocol.Membership.Agent;
using QuickSilver.Protocol.Membership.Server;
using QuickSilver.Testing.Faults;
using QuickSilver.Testing.Membership;
using QuickSilver.Testing.Network;
using QuickSilver.Testing.Scheduling;

namespace QuickSilver.Testing.Runs.Generation;

/// <summary>
/// Writes runs about hosts that elect each other: they die, stop in good order, come back, stand still beyond their
/// leases and are cut from each other, in one direction or both; their network is slow or away. No server says anything
/// once another of its cluster has been elected (V6). When nothing happens any more, all who live must be in one view
/// soon after (V9).
/// </summary>
internal static class PeerRun
{
    private const string Group = "all";
    private static readonly TimeSpan Settling = TimeSpan.FromSeconds(3);
    private static readonly TimeSpan Allowance = TimeSpan.FromSeconds(18);

    /// <summary>Writes a run. Same seed, same run.</summary>
    /// <param name="seed">Decides everything.</param>
    public static RunSpec Generate(ulong seed)
    {
        var dice = new Dice(new SimulationRandom(seed), RandomStream.Topology, part: 902);
        int nodes = dice.Between(2, 9);
        int hosts = dice.Between(1, 8);
        TimeSpan patience = TimeSpan.FromSeconds(dice.Between(2, 7));
        var election = new ElectionModel
        {
            Hosts = hosts,
            Founders = dice.Chance(0.3) ? 1 : (hosts / 2) + 1,
            Duration = TimeSpan.FromMilliseconds(dice.Between(1_000, 6_001)),
            Silence = patience,
            Pause = dice.LogMillis(20, 1_000),
            Delay = dice.LogMillis(0.2, 50),
            Loss = dice.Chance(0.5) ? 0 : 0.2 * dice.Unit(),
            ClockDrift = dice.Chance(0.5) ? 0 : dice.Between(1, 55_000),
        };
        List<Fault> faults = Faults(dice, election, nodes, patience);
        TimeSpan healAt = faults.Max(static fault => fault.At + fault.Duration) + TimeSpan.FromSeconds(2);
        election = election with { LossUntil = healAt };
        TimeSpan limit = (election.Duration * 2) + (election.Pause * 4) + (patience * 2) + Allowance;
        return new RunSpec
        {
            Options = new SimulationOptions
            {
                Nodes = nodes,
                Seed = seed,
                Restarts = 20 * nodes,
                Election = election,
                ReconnectPause = ReconnectPace.Longest * (0.1 + dice.Unit()),
                RejoinDelay = TimeSpan.FromMilliseconds(dice.Between(10, 1_000)),
                Network = new NetworkModel { Link = new LinkModel { Loss = dice.Chance(0.7) ? 0 : 0.02 } },
                Membership = new MembershipServerSettings
                {
                    IsElected = true,
                    FailureTimeout = patience,
                    ReconnectGrace = TimeSpan.FromMilliseconds(dice.Between(500, 2_001)),
                    FoundingGrace = ReconnectPace.HostFoundingGrace,
                    AwaitMajority = dice.Chance(0.5),
                },
            },
            Groups = [.. Enumerable.Range(0, nodes).Select(node => Groups(dice, node))],
            Plans = [
                new SendPlan(dice.Between(0, nodes), Group, 40, TimeSpan.FromMilliseconds(200)) { Start = Settling }],
            Faults = faults,
            HealAt = healAt,
            JoinLimit = limit,
            ConvergenceLimit = limit,
            SettleLimit = TimeSpan.FromSeconds(60),
            Traits = ["Peers"],
        };
    }

    /// <summary>
    /// Writes a run in which one of three hosts is cut off until it has no vote any more. Then another one is
    /// restarted, reaches that one and not the server, and has forgotten that the electorate went on.
    /// </summary>
    /// <param name="seed">Decides everything.</param>
    public static RunSpec Forgotten(ulong seed)
    {
        RunSpec run = Generate(seed);
        var dice = new Dice(new SimulationRandom(seed), RandomStream.Topology, part: 903);
        int server = dice.Between(0, 3);
        int restarted = (server + dice.Between(1, 3)) % 3;
        int away = 3 - server - restarted;
        TimeSpan cut = TimeSpan.FromSeconds(4);
        TimeSpan moved = TimeSpan.FromSeconds(12);
        TimeSpan lasts = TimeSpan.FromSeconds(12);
        return run with
        {
            Options = run.Options with
            {
                Election = run.Options.Election! with
                {
                    Hosts = 3,
                    Founders = 3,
                    Duration = TimeSpan.FromSeconds(2),
                    Silence = TimeSpan.FromSeconds(2),
                    Pause = TimeSpan.FromMilliseconds(100),
                    Delay = TimeSpan.FromMilliseconds(2),
                    Loss = 0,
                },
            },
            Faults =
            [
                new PeerCut(cut, moved - cut, 1 << away, IsOneWay: false),
                new HostOutage(moved, TimeSpan.FromMilliseconds(10), restarted, IsOrderly: false),
                new PeerCut(moved, lasts, 1 << server, IsOneWay: false),
            ],
            HealAt = moved + lasts,
        };
    }

    private static List<Fault> Faults(Dice dice, ElectionModel election, int nodes, TimeSpan patience)
    {
        var faults = new List<Fault>();
        TimeSpan at = Settling;
        for (int rounds = dice.Between(1, 10); rounds > 0; rounds--)
        {
            at += dice.Time(TimeSpan.FromMilliseconds(10), election.Duration * 2);
            int host = dice.Between(0, election.Hosts);
            TimeSpan lasts = election.Duration * (0.2 + (2 * dice.Unit()));
            int kind = dice.Between(0, 9);
            // A step is under way when the host stands still, so that it has something to say when it wakes.
            if (kind == 3)
            {
                TimeSpan before = at - dice.LogMillis(1, 1_000);
                faults.Add(new NodeRestart(before, TimeSpan.FromMilliseconds(1), dice.Between(0, nodes)));
            }
            faults.Add(kind switch
            {
                0 => new HostOutage(at, lasts, host, IsOrderly: false),
                1 => new HostOutage(at, dice.LogMillis(10, 1_000), host, IsOrderly: false),
                2 => new HostOutage(at, lasts, host, IsOrderly: true),
                3 or 4 => new HostFreeze(at, lasts, host, dice.LogMillis(0.01, 400)),
                5 => new PeerCut(at, lasts, dice.Between(1, 1 << election.Hosts), IsOneWay: false),
                6 => new PeerCut(at, lasts, dice.Between(1, 1 << election.Hosts), IsOneWay: true),
                7 => new StoreOutage(at, lasts, dice.Chance(0.5) ? TimeSpan.Zero : election.Duration * dice.Unit()),
                _ => new NodeRestart(at, dice.LogMillis(50, patience.TotalMilliseconds * 2), dice.Between(0, nodes)),
            });
        }
        return faults;
    }

    // Everybody is in one group; some are in another one besides, so that there are several regions.
    private static IReadOnlyList<string> Groups(Dice dice, int node) =>
        dice.Chance(0.2) ? [Group, $"part-{node % 2}"] : [Group];
}
