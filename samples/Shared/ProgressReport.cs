namespace QuickSilver.Samples;

/// <summary>One line of <c>--progress-json</c>.</summary>
/// <param name="Phase">"joined", "sending", "receiving" or "stable".</param>
/// <param name="Count">Messages so far.</param>
internal sealed record ProgressReport(string Phase, long Count);
