namespace QuickSilver.Testing.Runs;

/// <summary>A node leaves its groups, says goodbye and ends, as a process does that is stopped in good order: what it
/// has sent is stable by then.</summary>
/// <param name="At">When it begins, counted from the start of the run.</param>
/// <param name="Node">Index of the machine.</param>
internal sealed record NodeShutdown(TimeSpan At, int Node) : RunAction(At, Node)
{
    internal override void Apply(RunExecution run)
    {
        if (run.Cluster.On(Node) is { IsAlive: true } node) run.Shutdown(node);
    }
}
