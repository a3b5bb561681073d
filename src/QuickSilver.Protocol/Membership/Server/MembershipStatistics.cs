namespace QuickSilver.Protocol.Membership.Server;

/// <summary>A snapshot of a membership server's counts.</summary>
/// <param name="Nodes">Nodes registered.</param>
/// <param name="Groups">Groups known, with or without members.</param>
/// <param name="Regions">Regions that have nodes; each has one current view.</param>
/// <param name="MergedRegions">Of those, how many carry nodes with different groups.</param>
/// <param name="UnretiredViews">Region views that have not retired, current ones included.</param>
/// <param name="RetiredViews">Region views retired since the start.</param>
/// <param name="Steps">Steps made since the start.</param>
/// <param name="WaitingChanges">Joins and leaves requested that no step contains yet.</param>
/// <param name="Removed">Nodes removed since the start, for any reason.</param>
internal readonly record struct MembershipStatistics(
    int Nodes,
    int Groups,
    int Regions,
    int MergedRegions,
    int UnretiredViews,
    ulong RetiredViews,
    ulong Steps,
    int WaitingChanges,
    ulong Removed);
