namespace QuickSilver.Protocol.Sites.Ordering;

/// <summary>How far the entries of a site were delivered, in the last view that it was in.</summary>
/// <param name="View">That view.</param>
/// <param name="Number">The last entry.</param>
internal readonly record struct StreamEnd(OrderViewId View, ulong Number);
