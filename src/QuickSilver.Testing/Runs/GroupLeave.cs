using QuickSilver.Testing.Nodes;

namespace QuickSilver.Testing.Runs;

/// <summary>A node leaves those of the groups in which its join has returned and which it is not about to
/// leave.</summary>
/// <param name="At">When, counted from the start of the run.</param>
/// <param name="Node">Index of the machine.</param>
/// <param name="Groups">The groups.</param>
internal sealed record GroupLeave(TimeSpan At, int Node, IReadOnlyList<string> Groups) : RunAction(At, Node)
{
    internal override void Apply(RunExecution run)
    {
        SimulatedNode node = run.Cluster.On(Node);
        if (node.IsAlive) run.Leave(node, Groups);
    }
}
