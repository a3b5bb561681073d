namespace QuickSilver.Testing.Nodes;

/// <summary>Where a simulated node is in its life.</summary>
internal enum SimulatedNodeState : byte
{
    /// <summary>It waits for the membership server.</summary>
    Starting,

    /// <summary>It is a member of the cluster.</summary>
    Running,

    /// <summary>It has left in good order.</summary>
    Stopped,

    /// <summary>It ended from one instant to the next.</summary>
    Crashed,

    /// <summary>The membership server refused or removed it.</summary>
    Expelled,
}
