using System.Text.Json.Serialization;

namespace QuickSilver;

/// <summary>The last event of a group in a shared <see cref="Inbox"/>: its handle has ended, and everything that the
/// inbox stored of it has been read. The inbox goes on with its other groups. A reader of <see cref="Group"/> ends
/// instead.</summary>
/// <param name="Group">The handle.</param>
/// <param name="Reason">Why it ended by itself, <see cref="SlowConsumerException"/> for example; null after a leave or
/// dispose.</param>
public sealed record GroupCompleted(Group Group, [property: JsonIgnore] QuickSilverException? Reason)
    : GroupEvent(Group)
{
    /// <summary>The code of <see cref="Reason"/>; null without one.</summary>
    public ErrorCode? Code => Reason?.Code;

    /// <summary>The message of <see cref="Reason"/>; null without one.</summary>
    public string? ReasonText => Reason?.Message;

    /// <summary>The record's text, with code and message of the reason in place of its stack trace.</summary>
    public override string ToString() =>
        $"{nameof(GroupCompleted)} {{ Group = {Group}, Code = {Code}, Reason = {ReasonText} }}";
}
