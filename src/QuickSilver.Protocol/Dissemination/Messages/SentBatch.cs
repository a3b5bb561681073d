namespace QuickSilver.Protocol.Dissemination.Messages;

/// <summary>
/// Messages of one group in one packet that wait to be stable. Either a batch of messages that nobody follows one by
/// one, taken one after the other, or a single message whose record is still needed.
/// </summary>
internal struct SentBatch
{
    /// <summary>The packet that ends all of them.</summary>
    public ulong LastSequence;

    /// <summary>The record of a single message; null for a batch, whose records are in use elsewhere already.</summary>
    public OutgoingMessage? Message;

    /// <summary>The group of the messages.</summary>
    public GroupLedger Group;

    /// <summary>Ordinal of the first, in the order in which messages were taken; the others follow it.</summary>
    public ulong FirstOrdinal;

    /// <summary>Number of messages.</summary>
    public int Count;

    /// <summary>Bytes of those messages.</summary>
    public long Bytes;

    /// <summary>True when a message of a group continues the batch.</summary>
    public readonly bool IsContinuedBy(GroupLedger group, ulong ordinal, ulong lastSequence) =>
        Message is null && LastSequence == lastSequence && Group == group && FirstOrdinal + (ulong)Count == ordinal;
}
