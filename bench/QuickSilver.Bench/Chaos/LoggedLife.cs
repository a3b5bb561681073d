namespace QuickSilver.Bench.Chaos;

/// <summary>One incarnation of a node, as its process's log has it.</summary>
/// <param name="Id">What the cluster calls it.</param>
/// <param name="Origin">What its payloads say.</param>
internal sealed record LoggedLife(string Id, ChaosOrigin Origin)
{
    /// <summary>True once the log says that it has ended, or its process was replaced.</summary>
    public bool HasEnded { get; set; }

    /// <summary>The last number it gave, by group; told at the end by those that lived.</summary>
    public Dictionary<int, ulong> LastNumbers { get; } = [];
}
