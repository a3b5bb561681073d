using System.Text.Json.Serialization;

namespace QuickSilver;

/// <summary>A handle on a group ended without being disposed: slow consumer, failed handler, or eviction.</summary>
/// <param name="GroupName">The name of the group.</param>
/// <param name="Reason">The exception that readers and senders of the handle get.</param>
public sealed record GroupEnded(string GroupName, [property: JsonIgnore] QuickSilverException Reason) : NodeEvent
{
    /// <summary>The code of <see cref="Reason"/>.</summary>
    public ErrorCode Code => Reason.Code;

    /// <summary>The message of <see cref="Reason"/>.</summary>
    public string ReasonText => Reason.Message;

    /// <summary>The record's text, with code and message of the reason in place of its stack trace.</summary>
    public override string ToString() =>
        $"{nameof(GroupEnded)} {{ Time = {Time}, GroupName = {GroupName}, "
        + $"Code = {Code}, Reason = {ReasonText} }}";
}
