using QuickSilver.Testing.Nodes;

namespace QuickSilver.Testing.Disturbances;

/// <summary>
/// A herd: nodes that have registered join many overlapping groups each at one moment. What it takes is a matter of the
/// membership server's batching; its own work costs no virtual time here, channels and nodes do.
/// </summary>
/// <param name="Nodes">How many nodes.</param>
/// <param name="Groups">Groups joined by each.</param>
/// <param name="Kinds">How many different sets of groups there are. Neighbouring sets differ by two groups;
/// those of nodes far apart share none.</param>
internal sealed record SimulatedHerd(int Nodes, int Groups, int Kinds)
{
    /// <summary>Decides everything random.</summary>
    public ulong Seed { get; init; } = 1;

    /// <summary>Lets it happen.</summary>
    /// <returns>The virtual time from the first request to the last join that returned, and the steps it
    /// took.</returns>
    /// <exception cref="InvariantViolationException">A promise was broken, or a join did not return.</exception>
    public (TimeSpan Took, ulong Steps) Run()
    {
        var cluster = new SimulatedCluster(new SimulationOptions { Nodes = Nodes, Seed = Seed });
        bool started = cluster.RunUntil(
            () => cluster.Nodes.All(node => node.State == SimulatedNodeState.Running), TimeSpan.FromSeconds(30));
        if (!started) throw cluster.Violation("D9", "not all nodes were admitted to the cluster");
        ulong before = cluster.Nodes[0].Stack.Rooms.StepsInstalled;
        TimeSpan began = cluster.Elapsed;
        cluster.Await([.. cluster.Nodes.Select(node => node.Join(GroupsOf(node.Index)))]);
        return (cluster.Elapsed - began, cluster.Nodes.Max(node => node.Stack.Rooms.StepsInstalled) - before);
    }

    private string[] GroupsOf(int node)
    {
        int first = node % Kinds * 2;
        return [.. Enumerable.Range(first, Groups).Select(group => $"group-{group}")];
    }
}
