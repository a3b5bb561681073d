namespace QuickSilver.Inboxes;

/// <summary>The end of an inbox.</summary>
/// <param name="Reason">The exception for readers after the stored messages; null for a normal end.</param>
internal sealed record EndMark(Exception? Reason);
