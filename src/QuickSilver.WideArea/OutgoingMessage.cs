namespace QuickSilver.WideArea;

/// <summary>A message of the own site on its way to the others.</summary>
/// <param name="Sender">Who sent it.</param>
/// <param name="Sequence">Its number there.</param>
/// <param name="Payload">Nobody changes it.</param>
internal readonly record struct OutgoingMessage(SenderText Sender, ulong Sequence, ReadOnlyMemory<byte> Payload);
