namespace QuickSilver.Tests.Processes;

/// <summary>Tests that start whole clusters of processes: one at a time, and not beside others, so that they do not
/// starve each other.</summary>
[CollectionDefinition(Name, DisableParallelization = true)]
[Trait("needs", "nodes")]
public sealed class ProcessCollection
{
    public const string Name = "processes";
}
