using QuickSilver.Testing.Nodes;

namespace QuickSilver.Testing.Runs;

/// <summary>A node joins those of the groups that it is neither in nor about to join.</summary>
/// <param name="At">When, counted from the start of the run.</param>
/// <param name="Node">Index of the machine.</param>
/// <param name="Groups">The groups.</param>
internal sealed record GroupJoin(TimeSpan At, int Node, IReadOnlyList<string> Groups) : RunAction(At, Node)
{
    internal override void Apply(RunExecution run)
    {
        SimulatedNode node = run.Cluster.On(Node);
        if (node.IsAlive) run.Join(node, Groups);
    }
}
