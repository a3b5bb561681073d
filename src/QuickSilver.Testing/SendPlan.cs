namespace QuickSilver.Testing;

/// <summary>A stretch of sending: so many messages, one after the other.</summary>
/// <param name="Node">Index of the sender; it must be in the group when the first is due.</param>
/// <param name="Group">The group.</param>
/// <param name="Count">How many messages.</param>
/// <param name="Interval">Time between two; zero: all at once.</param>
internal sealed record SendPlan(int Node, string Group, int Count, TimeSpan Interval)
{
    /// <summary>Time from now until the first.</summary>
    public TimeSpan Start { get; init; }

    /// <summary>Shortest message in bytes.</summary>
    public int MinBytes { get; init; } = 100;

    /// <summary>Longest message in bytes; sizes are drawn evenly between the two.</summary>
    public int MaxBytes { get; init; } = 100;

    /// <summary>So many messages in a row have one length; 1: each its own. Such travel in runs.</summary>
    public int Alike { get; init; } = 1;

    /// <summary>True: the protocol pulls the messages from a source instead.</summary>
    public bool Pulled { get; init; }

    /// <summary>True: the messages wait in a stage, as those of an application's threads do: the protocol pulls them
    /// from there, but long ones, and one in sixteen of the others, are admitted in their places, with all in front of
    /// them.</summary>
    public bool Staged { get; init; }

    /// <summary>Ordered groups that each message goes to besides, those of them that its sender may send to then; null:
    /// none.</summary>
    public IReadOnlyList<string>? Also { get; init; }

    /// <summary>True: most messages with a ticket are pieces of long messages.</summary>
    public bool Long { get; init; }
}
