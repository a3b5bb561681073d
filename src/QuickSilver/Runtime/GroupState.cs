namespace QuickSilver.Runtime;

/// <summary>The stages of a node's membership in a group.</summary>
internal enum GroupState : byte
{
    /// <summary>A join is under way.</summary>
    Joining,

    /// <summary>The node is a member.</summary>
    Joined,

    /// <summary>A leave is under way.</summary>
    Leaving,

    /// <summary>The node is no longer a member, or its join failed.</summary>
    Gone,
}
