namespace QuickSilver.Tests.Networks;

/// <summary>Tests that make networks of namespaces and start programs in them: one at a time, and not beside
/// others.</summary>
[CollectionDefinition(Name, DisableParallelization = true)]
[Trait("needs", "nodes")]
public sealed class NetworkCollection
{
    public const string Name = "networks";
}
