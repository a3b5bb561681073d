namespace QuickSilver.WideArea.Records;

/// <summary>A message of the own site on its way to the others.</summary>
/// <param name="Sender">Who sent it.</param>
/// <param name="Sequence">Its number there.</param>
/// <param name="Payload">Nobody changes it.</param>
/// <param name="From">Id of the sender.</param>
/// <param name="IsAgain">True when another gateway of this site may have sent it before.</param>
internal readonly record struct OutgoingMessage(
    SenderText Sender, ulong Sequence, ReadOnlyMemory<byte> Payload, MemberId From = default, bool IsAgain = false)
{
    /// <summary>Bytes that it counts as, while it waits.</summary>
    public int Cost => Payload.Length + 64;
}
