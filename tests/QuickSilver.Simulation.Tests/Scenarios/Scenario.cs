using QuickSilver.Testing;
using QuickSilver.Testing.Faults;
using QuickSilver.Testing.Nodes;

namespace QuickSilver.Simulation.Tests.Scenarios;

/// <summary>A run as data: the cluster, who joins what and when, who sends what, and what goes wrong.</summary>
internal sealed record Scenario
{
    public required SimulationOptions Options { get; init; }

    /// <summary>Groups of each node; a node without groups stays a bystander.</summary>
    public required string[][] Groups { get; init; }

    public required IReadOnlyList<SendPlan> Plans { get; init; }

    public IReadOnlyList<Fault> Faults { get; init; } = [];

    /// <summary>Changes of membership while messages are sent.</summary>
    public IReadOnlyList<Move> Moves { get; init; } = [];

    /// <summary>How long after its last event the run may take until all is delivered and stable.</summary>
    public TimeSpan SettleLimit { get; init; } = TimeSpan.FromSeconds(30);

    /// <summary>True: after settling the cluster must fall silent on the data network.</summary>
    public bool MustFallSilent { get; init; } = true;

    /// <summary>Runs to the end: joins, sends, settles, falls silent, shuts down.</summary>
    public SimulatedCluster Run()
    {
        SimulatedCluster cluster = RunToSettled();
        if (MustFallSilent) CheckSilence(cluster);
        cluster.Shutdown();
        return cluster;
    }

    /// <summary>Runs until everything sent is delivered and stable.</summary>
    public SimulatedCluster RunToSettled()
    {
        var cluster = new SimulatedCluster(Options);
        RunToSettled(cluster);
        return cluster;
    }

    /// <summary>Runs on a cluster made with <see cref="Options"/>, so that it can be looked at when the run has
    /// failed.</summary>
    public void RunToSettled(SimulatedCluster cluster)
    {
        foreach (Fault fault in Faults) cluster.Inject(fault);
        var joins = new List<SimulatedJoin>();
        for (int node = 0; node < Groups.Length; node++)
        {
            if (Groups[node].Length > 0) joins.Add(cluster.Nodes[node].Join(Groups[node]));
        }
        cluster.Await([.. joins]);
        foreach (SendPlan plan in Plans) cluster.Start(plan);
        RunMoves(cluster);
        cluster.Settle(SettleLimit);
    }

    private void RunMoves(SimulatedCluster cluster)
    {
        if (Moves.Count == 0) return;
        var joins = new List<SimulatedJoin>();
        var leaves = new List<(SimulatedNode Node, SimulatedLeave Leave)>();
        foreach (Move move in Moves)
            cluster.After(move.At, () => Execute(cluster.Nodes[move.Node], move, joins, leaves));
        cluster.RunFor(Moves.Max(move => move.At) + TimeSpan.FromMilliseconds(1));
        cluster.Await([.. joins]);
        if (!cluster.RunUntil(
            () => leaves.TrueForAll(entry => entry.Leave.IsCompleted || !entry.Node.IsAlive), SettleLimit))
        {
            throw cluster.Violation("D9", "a leave did not return");
        }
    }

    private static void Execute(
        SimulatedNode node, Move move, List<SimulatedJoin> joins,
        List<(SimulatedNode Node, SimulatedLeave Leave)> leaves)
    {
        if (!node.IsAlive) return;
        bool IsLeaving(string name) =>
            leaves.Exists(entry => entry.Node == node && !entry.Leave.IsCompleted && Names(entry.Leave).Contains(name));
        bool IsJoining(string name) =>
            joins.Exists(entry => entry.Node == node && !entry.IsCompleted && entry.Names.Contains(name));
        string[] leave = [.. move.Leave.Where(name => node.FindGroup(name) is { IsJoined: true } && !IsLeaving(name))];
        if (leave.Length > 0) leaves.Add((node, node.Leave(leave)));
        string[] join = [.. move.Join.Where(name => node.FindGroup(name) is null && !IsJoining(name))];
        if (join.Length > 0) joins.Add(node.Join(join));
    }

    private static IEnumerable<string> Names(SimulatedLeave leave) => leave.Groups.Select(group => group.Info.Name);

    private static void CheckSilence(SimulatedCluster cluster)
    {
        // A few rounds may still say that everything is stable, and beacons may wait for their answer.
        cluster.RunFor(TimeSpan.FromSeconds(5));
        ulong before = cluster.DatagramsSent;
        cluster.RunFor(TimeSpan.FromSeconds(5));
        ulong sent = cluster.DatagramsSent - before;
        if (sent > 0)
            throw cluster.Violation(
                "Q1", $"{sent} datagrams were sent in five seconds, five seconds after everything was stable");
    }
}
