namespace QuickSilver.Testing;

/// <summary>What a test does with a running node, beside what applications may. Any thread.</summary>
internal interface ISwitchedNode
{
    /// <summary>Ends the node at once; nothing tells the others.</summary>
    Task CrashAsync();

    /// <summary>Waits until the threads of the node, and of a membership host in it, have made a turn.</summary>
    Task TurnAsync();

    /// <summary>Looks at what the application of the node has to do. Waits for a turn of the core thread.</summary>
    Task<NodeWork> LookAsync();
}

/// <summary>What the application of a node has to do, and what the node has done.</summary>
/// <param name="Busy">Names of groups with messages that are not read, or whose reader is at work.</param>
/// <param name="Moved">Messages sent and received so far.</param>
internal sealed record NodeWork(IReadOnlyList<string> Busy, long Moved)
{
    /// <summary>Of a node that has ended.</summary>
    public static NodeWork None { get; } = new([], 0);
}
