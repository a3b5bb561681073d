namespace QuickSilver.Sending;

/// <summary>A position in a <see cref="SendStage"/>, for looking ahead. Core thread only.</summary>
/// <param name="Block">The block.</param>
/// <param name="Slot">The slot in the block.</param>
internal readonly record struct StagePosition(StageBlock Block, int Slot);
