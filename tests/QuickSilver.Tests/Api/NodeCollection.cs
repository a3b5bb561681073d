namespace QuickSilver.Tests.Api;

/// <summary>Tests that start nodes on real sockets run one after another, and alone: they measure time and memory of
/// the whole process.</summary>
[CollectionDefinition(Name, DisableParallelization = true)]
[Trait("needs", "nodes")]
public sealed class NodeCollection
{
    public const string Name = "nodes";
}
