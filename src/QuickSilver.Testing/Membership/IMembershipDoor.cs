namespace QuickSilver.Testing.Membership;

/// <summary>By which the nodes of a simulation find their membership server.</summary>
internal interface IMembershipDoor
{
    /// <summary>Opens a channel; both ends are told a delay later.</summary>
    /// <returns>Null when there is no server, or no way to it: to be tried again.</returns>
    SimulatedLink? Connect(IMembershipClient client);
}
