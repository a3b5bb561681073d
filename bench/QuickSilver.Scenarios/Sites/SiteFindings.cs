using QuickSilver.Bench;

namespace QuickSilver.Scenarios.Sites;

/// <summary>What a run found.</summary>
/// <param name="Rate">Messages a second until the last had come everywhere.</param>
/// <param name="Near">Ages at the sender's own site.</param>
/// <param name="Far">Ages at the last site of the row.</param>
/// <param name="Failures">What is wrong; empty when all came once and in order.</param>
internal sealed record SiteFindings(
    double Rate, LatencySummary? Near, LatencySummary? Far, IReadOnlyList<string> Failures);
