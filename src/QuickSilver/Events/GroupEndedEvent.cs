namespace QuickSilver;

/// <summary>A handle on a group ended without being left: slow consumer, failed handler, eviction.</summary>
/// <param name="GroupName">The group.</param>
/// <param name="Reason">What its readers and senders get.</param>
public sealed record GroupEndedEvent(string GroupName, QuickSilverException Reason) : NodeEvent;
