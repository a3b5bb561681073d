namespace QuickSilver.Bench.Reports;

/// <summary>What many groups cost a node alone.</summary>
/// <param name="JoinSeconds">What the one call that joined all groups took.</param>
/// <param name="BytesPerGroup">Managed memory a group, the membership host's part included.</param>
/// <param name="ParallelSeconds">What joins of as many other groups took, a call each, all at once.</param>
/// <param name="LeftBytes">Managed memory that is left once all have been left.</param>
/// <param name="Changes">Groups that were joined and left again, one by one.</param>
/// <param name="ChangesPerSecond">How many a second.</param>
/// <param name="EarlyBytes">Managed memory after a quarter of the changes.</param>
/// <param name="LateBytes">Managed memory after all of them.</param>
/// <param name="CoreTurnMillis">Longest turn of a core thread during the changes.</param>
/// <param name="HostTurnMillis">Longest turn of the membership host during the changes.</param>
/// <param name="JoinTurnMillis">Longest turn of the core thread during the one call.</param>
internal sealed record JoinsAloneReport(
    double JoinSeconds,
    double BytesPerGroup,
    double ParallelSeconds,
    long LeftBytes,
    long Changes,
    double ChangesPerSecond,
    long EarlyBytes,
    long LateBytes,
    double CoreTurnMillis,
    double HostTurnMillis,
    double JoinTurnMillis);
