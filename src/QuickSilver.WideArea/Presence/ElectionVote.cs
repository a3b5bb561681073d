namespace QuickSilver.WideArea.Presence;

/// <summary>What a gateway says of who is to be active at its site.</summary>
/// <param name="For">The gateway that it wants to be active. Itself: a claim.</param>
/// <param name="Number">Number of that gateway's claim.</param>
/// <param name="IsActive">True for the active one.</param>
/// <param name="Node">The highest number of a life that it knows of, of any gateway of the site; 0: none.</param>
internal readonly record struct ElectionVote(MemberId For, ulong Number, bool IsActive, ulong Node);
