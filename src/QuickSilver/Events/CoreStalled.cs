namespace QuickSilver;

/// <summary>The core thread was held up for longer than <see cref="LoopOptions.StallWarning"/>. At most once a second; the count is
/// <see cref="NodeStatistics.Stalls"/>. User code that does not come back is told of while it lasts: after a second, then each time
/// the time has doubled.</summary>
/// <param name="Phase">By what.</param>
/// <param name="Duration">For how long.</param>
/// <param name="GroupName">The group whose handler, feed or key selector it was; null for other phases.</param>
public sealed record CoreStalled(LoopPhase Phase, TimeSpan Duration, string? GroupName) : NodeEvent;
