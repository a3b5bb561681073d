using QuickSilver.Testing.Nodes;

namespace QuickSilver.Testing.Runs;

/// <summary>A node closes those of its publishers that have been opened.</summary>
/// <param name="At">When, counted from the start of the run.</param>
/// <param name="Node">Index of the machine.</param>
/// <param name="Groups">The groups.</param>
internal sealed record PublisherClose(TimeSpan At, int Node, IReadOnlyList<string> Groups) : RunAction(At, Node)
{
    internal override void Apply(RunExecution run)
    {
        SimulatedNode node = run.Cluster.On(Node);
        if (node.IsAlive) run.ClosePublishers(node, Groups);
    }

    /// <inheritdoc/>
    public override string ToString() => $"{nameof(PublisherClose)} {Node}: {string.Join(", ", Groups)}";
}
