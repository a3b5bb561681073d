using QuickSilver.Protocol.Membership.Agent;
using QuickSilver.Protocol.Membership.Server;
using QuickSilver.Testing.Faults;
using QuickSilver.Testing.Membership;
using QuickSilver.Testing.Network;
using QuickSilver.Testing.Scheduling;

namespace QuickSilver.Testing.Runs.Generation;

/// <summary>
/// Writes runs about elections: hosts die, stand still beyond their leases, stop in good order and are cut off from the
/// store; the store is slow or away; nodes die and come back meanwhile. No server says anything once another has been
/// elected (V6). When nothing happens any more, all who live must be in one view within a lease, a detector period and
/// five seconds (V9).
/// </summary>
internal static class ElectionRun
{
    private const string Group = "all";
    private static readonly TimeSpan Settling = TimeSpan.FromSeconds(2);
    private static readonly TimeSpan Allowance = TimeSpan.FromSeconds(5);

    /// <summary>Writes a run. Same seed, same run.</summary>
    /// <param name="seed">Decides everything.</param>
    public static RunSpec Generate(ulong seed)
    {
        var dice = new Dice(new SimulationRandom(seed), RandomStream.Topology, part: 901);
        int nodes = dice.Between(2, 11);
        int hosts = dice.Between(2, 5);
        TimeSpan patience = TimeSpan.FromSeconds(dice.Between(2, 7));
        var election = new ElectionModel
        {
            Hosts = hosts,
            Duration = TimeSpan.FromMilliseconds(dice.Between(1_000, 8_001)),
            Pause = dice.LogMillis(20, 1_000),
            Delay = dice.LogMillis(0.2, 100),
            Loss = dice.Chance(0.5) ? 0 : 0.2 * dice.Unit(),
            ClockDrift = dice.Chance(0.5) ? 0 : dice.Between(1, 55_000),
        };
        List<Fault> faults = Faults(dice, election, nodes, patience);
        TimeSpan healAt = faults.Max(static fault => fault.At + fault.Duration);
        election = election with { LossUntil = healAt };
        TimeSpan limit = election.Duration + election.Pause + patience + Allowance;
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
            Traits = ["Elected"],
        };
    }

    private static List<Fault> Faults(Dice dice, ElectionModel election, int nodes, TimeSpan patience)
    {
        var faults = new List<Fault>();
        TimeSpan at = Settling;
        for (int rounds = dice.Between(1, 9); rounds > 0; rounds--)
        {
            at += dice.Time(TimeSpan.FromMilliseconds(10), election.Duration * 2);
            int host = dice.Between(0, election.Hosts);
            TimeSpan lasts = election.Duration * (0.2 + (2 * dice.Unit()));
            int kind = dice.Between(0, 7);
            // A step is under way when the host stands still, so that it has something to say when it wakes.
            if (kind == 2)
            {
                TimeSpan before = at - dice.LogMillis(1, 1_000);
                faults.Add(new NodeRestart(before, TimeSpan.FromMilliseconds(1), dice.Between(0, nodes)));
            }
            faults.Add(kind switch
            {
                0 => new HostOutage(at, lasts, host, IsOrderly: false),
                1 => new HostOutage(at, lasts, host, IsOrderly: true),
                2 or 3 => new HostFreeze(at, lasts, host, dice.LogMillis(0.01, 400)),
                4 => new StoreCut(at, lasts, host),
                5 => new StoreOutage(at, lasts, dice.Chance(0.5) ? TimeSpan.Zero : election.Duration * dice.Unit()),
                _ => new NodeRestart(at, dice.LogMillis(50, patience.TotalMilliseconds * 2), dice.Between(0, nodes)),
            });
        }
        return faults;
    }

    // Everybody is in one group; some are in another one besides, so that there are several regions.
    private static IReadOnlyList<string> Groups(Dice dice, int node) =>
        dice.Chance(0.2) ? [Group, $"part-{node % 2}"] : [Group];
}
