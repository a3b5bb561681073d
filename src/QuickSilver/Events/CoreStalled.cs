namespace QuickSilver;

/// <summary>The core thread was blocked for longer than <see cref="LoopOptions.StallWarning"/>. Raised at most once a
/// second; <see cref="NodeStatistics.Stalls"/> counts every stall. A hanging call of user code is reported while it
/// lasts: after one second, then each time its duration has doubled.</summary>
/// <param name="Phase">The phase of the loop that took the time.</param>
/// <param name="Duration">How long it took, or has taken so far.</param>
/// <param name="GroupName">The group of the handler, feed or key selector; null for other phases.</param>
public sealed record CoreStalled(LoopPhase Phase, TimeSpan Duration, string? GroupName) : NodeEvent;
