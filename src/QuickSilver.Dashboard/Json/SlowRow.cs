namespace QuickSilver.Dashboard.Json;

/// <summary>A member that is behind.</summary>
/// <param name="Id">Address and incarnation.</param>
/// <param name="Name">Its name.</param>
/// <param name="Reason">Why it is behind.</param>
/// <param name="Packets">Most packets of a sender that it keeps from becoming stable.</param>
/// <param name="Seconds">How long it has been behind.</param>
/// <param name="HoldsUp">Whether it holds others up.</param>
/// <param name="Groups">Some of the groups concerned.</param>
/// <param name="Regions">Some of the regions concerned.</param>
internal sealed record SlowRow(
    string Id, string Name, LagReason Reason, long Packets, double Seconds, bool HoldsUp,
    IReadOnlyList<string> Groups, IReadOnlyList<ulong> Regions);
