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
        foreach (Fault fault in Faults) cluster.Inject(fault);
        var joins = new List<SimulatedJoin>();
        for (int node = 0; node < Groups.Length; node++)
        {
            if (Groups[node].Length > 0) joins.Add(cluster.Nodes[node].Join(Groups[node]));
        }
        cluster.Await([.. joins]);
        foreach (SendPlan plan in Plans) cluster.Start(plan);
        cluster.Settle(SettleLimit);
        return cluster;
    }

    private static void CheckSilence(SimulatedCluster cluster)
    {
        // A few rounds may still say that everything is stable, and beacons may wait for their answer.
        cluster.RunFor(TimeSpan.FromSeconds(5));
        ulong before = cluster.DatagramsSent;
        cluster.RunFor(TimeSpan.FromSeconds(5));
        ulong sent = cluster.DatagramsSent - before;
        if (sent > 0) throw cluster.Violation("Q1", $"{sent} datagrams were sent in five seconds, five seconds after everything was stable");
    }
}
