namespace QuickSilver.Inboxes;

/// <summary>The end of an inbox.</summary>
/// <param name="Reason">The exception for readers after the stored messages; null for a normal end.</param>
internal sealed record EndMark(Exception? Reason)
{
    private static readonly EndMark Normal = new((Exception?)null);

    /// <summary>The end for a reason; all normal ends are one object.</summary>
    public static EndMark Of(Exception? reason) => reason is null ? Normal : new EndMark(reason);
}
