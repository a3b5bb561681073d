namespace QuickSilver;

/// <summary>One change of views as a node installed it. Part of <see cref="NodeSnapshot"/>.</summary>
public sealed record ViewChangeReport
{
    /// <summary>When the node installed the change.</summary>
    public DateTimeOffset Time { get; init; }

    /// <summary>Number of the change, the same at all nodes.</summary>
    public ulong Number { get; init; }

    /// <summary>Number of the node's groups whose members changed.</summary>
    public int GroupCount { get; init; }

    /// <summary>Names of nodes that came into the node's regions; at most eight.</summary>
    public IReadOnlyList<string> Joined { get; init; } = [];

    /// <summary>Names of nodes that left them; at most eight.</summary>
    public IReadOnlyList<string> Left { get; init; } = [];
}
