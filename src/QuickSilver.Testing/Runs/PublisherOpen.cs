using QuickSilver.Testing.Nodes;

namespace QuickSilver.Testing.Runs;

/// <summary>A node opens publishers of those of the groups that it neither publishes to nor is about to.</summary>
/// <param name="At">When, counted from the start of the run.</param>
/// <param name="Node">Index of the machine.</param>
/// <param name="Groups">The groups.</param>
internal sealed record PublisherOpen(TimeSpan At, int Node, IReadOnlyList<string> Groups) : RunAction(At, Node)
{
    internal override void Apply(RunExecution run)
    {
        SimulatedNode node = run.Cluster.On(Node);
        if (node.IsAlive) run.OpenPublishers(node, Groups);
    }

    /// <inheritdoc/>
    public override string ToString() => $"{nameof(PublisherOpen)} {Node}: {string.Join(", ", Groups)}";
}
