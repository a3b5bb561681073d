namespace QuickSilver.Runtime;

/// <summary>Where a node stands with a group.</summary>
internal enum GroupState
{
    /// <summary>A join is under way.</summary>
    Joining,

    /// <summary>In the group.</summary>
    Joined,

    /// <summary>A leave is under way.</summary>
    Leaving,

    /// <summary>Out of it.</summary>
    Gone,
}
