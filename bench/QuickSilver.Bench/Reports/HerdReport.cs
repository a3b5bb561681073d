namespace QuickSilver.Bench.Reports;

/// <summary>How one member of a herd came in.</summary>
/// <param name="StartedSeconds">From the word to go until it had begun to join: what the machine took to wake
/// it.</param>
/// <param name="JoinedSeconds">From the word to go until its join had returned.</param>
/// <param name="CompleteSeconds">From the word to go until each of its groups had all the members it was to
/// have.</param>
/// <param name="Steps">Membership steps that it installed in between.</param>
internal sealed record HerdReport(double StartedSeconds, double JoinedSeconds, double CompleteSeconds, long Steps);
