namespace QuickSilver.Cli.Recordings;

/// <summary>A message, or a loss of messages, in a recording.</summary>
/// <param name="Time">When it arrived, since the recording's beginning. Never negative, never earlier than the item
/// before.</param>
/// <param name="Sender">Name of the sender.</param>
/// <param name="SenderId">Id of the sender, as text.</param>
/// <param name="Sequence">Number of the message; of the first lost one, or 0 if that is unknown.</param>
/// <param name="Payload">The bytes; empty for a loss.</param>
internal sealed record RecordedItem(
    TimeSpan Time, string Sender, string SenderId, ulong Sequence, ReadOnlyMemory<byte> Payload)
{
    /// <summary>What it is of a long message, which has one number for all its pieces; null for anything
    /// else.</summary>
    public LongPart? Part { get; init; }

    /// <summary>True for a loss.</summary>
    public bool IsLoss { get; init; }

    /// <summary>The number of lost messages; 0 if it is unknown.</summary>
    public ulong Lost { get; init; }

    /// <summary>The reason of the loss, by the name of a <see cref="LossReason"/>.</summary>
    public string Reason { get; init; } = "";
}
