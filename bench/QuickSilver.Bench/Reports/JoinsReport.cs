namespace QuickSilver.Bench.Reports;

/// <summary>What the membership cost one member of <c>joins</c>.</summary>
/// <param name="JoinedSeconds">From the word to go until its join had returned.</param>
/// <param name="CompleteSeconds">From the word to go until its groups had all their members.</param>
/// <param name="JoinTurnMillis">Longest turn of its core thread in that time.</param>
/// <param name="DeathTurnMillis">Longest turn from then until after the death of another member.</param>
/// <param name="BytesPerGroup">Managed memory that the groups take.</param>
internal sealed record JoinsReport(
    double JoinedSeconds,
    double CompleteSeconds,
    double JoinTurnMillis,
    double DeathTurnMillis,
    double BytesPerGroup);
