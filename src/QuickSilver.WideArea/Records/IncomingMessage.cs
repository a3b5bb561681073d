namespace QuickSilver.WideArea.Records;

/// <summary>A message of another site, whole.</summary>
/// <param name="Sender">Who sent it.</param>
/// <param name="Sequence">Its number there.</param>
/// <param name="Payload">The bytes.</param>
/// <param name="IsAgain">True when another gateway of its site may have sent it before.</param>
internal sealed record IncomingMessage(SenderText Sender, ulong Sequence, byte[] Payload, bool IsAgain = false);
