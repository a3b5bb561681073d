namespace QuickSilver.Inboxes;

/// <summary>The end of an inbox.</summary>
/// <param name="Reason">What readers get after everything stored; null: a normal end.</param>
internal sealed record EndMark(Exception? Reason);
