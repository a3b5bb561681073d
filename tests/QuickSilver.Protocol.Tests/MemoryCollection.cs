namespace QuickSilver.Protocol.Tests;

/// <summary>Tests that measure what the whole process holds: nothing runs beside them.</summary>
[CollectionDefinition(Name, DisableParallelization = true)]
public sealed class MemoryCollection
{
    public const string Name = "memory";
}
