namespace QuickSilver.TestPrograms;

/// <summary>One line of <c>--progress-json</c>.</summary>
/// <param name="Phase">"joined", "sending" and "stable" of a publisher, "receiving" of a subscriber; there is none
/// before the groups are joined.</param>
/// <param name="Count">Messages so far.</param>
internal sealed record ProgressReport(string Phase, long Count);
