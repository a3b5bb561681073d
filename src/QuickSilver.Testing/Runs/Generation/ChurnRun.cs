using QuickSilver.Testing.Faults;
using QuickSilver.Testing.Network;
using QuickSilver.Testing.Scheduling;

namespace QuickSilver.Testing.Runs.Generation;

/// <summary>
/// Writes runs about the cost of the membership at scale: many nodes in overlapping sets of groups, of which some
/// processes die and come back, and some leave groups and join others, all the time, while the network loses datagrams.
/// A few senders keep the sequences busy. All promises are checked.
/// </summary>
/// <param name="Nodes">Nodes.</param>
/// <param name="Groups">Groups of the cluster.</param>
/// <param name="Kinds">Different sets of groups; each has a fifth of the groups, and neighbours share most.</param>
internal sealed record ChurnRun(int Nodes, int Groups, int Kinds)
{
    private static readonly TimeSpan Settling = TimeSpan.FromSeconds(5);

    /// <summary>Length of the churn.</summary>
    public TimeSpan Duration { get; init; } = TimeSpan.FromSeconds(60);

    /// <summary>Share of the nodes that restart in a minute; as many leave a group and join it again.</summary>
    public double PerMinute { get; init; } = 0.05;

    /// <summary>Share of the datagrams that are lost on each way.</summary>
    public double Loss { get; init; } = 0.01;

    /// <summary>Nodes that send, one message a second each.</summary>
    public int Senders { get; init; } = 20;

    /// <summary>Writes a run. Same seed, same run.</summary>
    /// <param name="seed">Decides everything.</param>
    public RunSpec Generate(ulong seed)
    {
        var dice = new Dice(new SimulationRandom(seed), RandomStream.Topology, part: 901);
        int changes = (int)Math.Round(Nodes * PerMinute * Duration.TotalMinutes);
        var faults = new List<Fault>();
        var actions = new List<RunAction>();
        for (int change = 0; change < changes; change++)
        {
            TimeSpan at = Settling + (Duration * dice.Unit());
            faults.Add(new NodeRestart(at, dice.LogMillis(100, 5_000), dice.Between(0, Nodes)));
            int node = dice.Between(0, Nodes);
            IReadOnlyList<string> groups = GroupsOf(node);
            actions.Add(new LeaveThenJoin(
                Settling + (Duration * dice.Unit()), node, [groups[dice.Between(0, groups.Count)]]));
        }
        var plans = new List<SendPlan>();
        for (int sender = 0; sender < Senders; sender++)
        {
            int node = dice.Between(0, Nodes);
            IReadOnlyList<string> groups = GroupsOf(node);
            plans.Add(new SendPlan(
                node, groups[dice.Between(0, groups.Count)], (int)Duration.TotalSeconds, TimeSpan.FromSeconds(1))
            { Start = Settling });
        }
        return new RunSpec
        {
            Options = new SimulationOptions
            {
                Nodes = Nodes,
                Seed = seed,
                Restarts = changes,
                RejoinDelay = TimeSpan.FromMilliseconds(500),
                KeepsReceived = false,
                Network = new NetworkModel { Link = new LinkModel { Loss = Loss } },
            },
            Groups = [.. Enumerable.Range(0, Nodes).Select(GroupsOf)],
            Plans = plans,
            Actions = actions,
            Faults = faults,
            HealAt = Settling + Duration + TimeSpan.FromSeconds(5),
        };
    }

    private IReadOnlyList<string> GroupsOf(int node)
    {
        int first = node % Kinds * Groups / Kinds;
        return [.. Enumerable.Range(first, Math.Max(1, Groups / 5)).Select(group => $"group-{group % Groups}")];
    }
}
