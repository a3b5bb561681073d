namespace QuickSilver.Tests.Processes;

/// <summary>Tests that start whole clusters of processes on this host: one at a time, so that they do not share
/// ports.</summary>
[CollectionDefinition(Name)]
[Trait("needs", "nodes")]
public sealed class ProcessCollection
{
    public const string Name = "processes";
}
