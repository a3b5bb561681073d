namespace QuickSilver.Dashboard.Sharing;

/// <summary>What there is to show: figures, or the reason why there are none.</summary>
/// <param name="Number">Rises with each state.</param>
/// <param name="Frame">The newest figures; null while there are none.</param>
/// <param name="Trouble">Why there are none; null while all is well.</param>
internal sealed record WatchState(long Number, Frame? Frame, string? Trouble);
