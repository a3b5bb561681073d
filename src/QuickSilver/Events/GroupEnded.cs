namespace QuickSilver;

/// <summary>A handle on a group ended without being left: slow consumer, failed handler, eviction.</summary>
/// <param name="GroupName">The group.</param>
/// <param name="Reason">What its readers and senders get.</param>
public sealed record GroupEnded(string GroupName, QuickSilverException Reason) : NodeEvent
{
    /// <summary>As of other events, but for the reason: its code and message, without the stack trace.</summary>
    public override string ToString() =>
        $"{nameof(GroupEnded)} {{ Time = {Time}, GroupName = {GroupName}, Code = {Reason.Code}, Reason = {Reason.Message} }}";
}
