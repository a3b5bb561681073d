namespace QuickSilver.Protocol.Membership.Server;

/// <summary>
/// What the server knows of one group. Kept for good: message numbers of a group outlive its members' stays, and its mode is fixed.
/// </summary>
/// <param name="Counter">Counter of its id.</param>
/// <param name="Name">Its name.</param>
/// <param name="Mode">Its mode.</param>
internal sealed record ServerGroup(uint Counter, string Name, byte Mode);
