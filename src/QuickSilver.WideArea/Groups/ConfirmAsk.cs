namespace QuickSilver.WideArea.Groups;

/// <summary>A node of this site wants to know who holds a message.</summary>
/// <param name="Sender">The node, which sent the message.</param>
/// <param name="Sequence">Number of the message.</param>
/// <param name="Number">Number of the question.</param>
internal readonly record struct ConfirmAsk(MemberId Sender, ulong Sequence, ulong Number);
