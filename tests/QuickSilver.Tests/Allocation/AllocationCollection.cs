namespace QuickSilver.Tests.Allocation;

/// <summary>Tests that count what the whole process allocates or holds: nothing runs beside them.</summary>
[CollectionDefinition(Name, DisableParallelization = true)]
[Trait("needs", "nodes")]
public sealed class AllocationCollection
{
    public const string Name = "allocation";
}
