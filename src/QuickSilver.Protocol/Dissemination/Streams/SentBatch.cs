using QuickSilver.Protocol.Dissemination.Groups;

namespace QuickSilver.Protocol.Dissemination.Streams;

/// <summary>
/// What of one group became part of one packet and waits to be stable: a run of messages that nobody asks about one by
/// one, taken one after the other, or a single message whose record is still needed.
/// </summary>
internal struct SentBatch
{
    /// <summary>The packet that ends all of them.</summary>
    public ulong LastSequence;

    /// <summary>The record of a single message; null for a run, whose records are in use elsewhere already.</summary>
    public OutgoingMessage? Message;

    /// <summary>Whose messages they are.</summary>
    public GroupSender Group;

    /// <summary>Place of the first in the order in which they were taken; the others follow it.</summary>
    public ulong FirstOrdinal;

    /// <summary>Messages.</summary>
    public int Count;

    /// <summary>Their bytes.</summary>
    public long Bytes;

    /// <summary>True when a message of a group goes on where the run ends.</summary>
    public readonly bool IsContinuedBy(GroupSender group, ulong ordinal, ulong lastSequence) =>
        Message is null && LastSequence == lastSequence && Group == group && FirstOrdinal + (ulong)Count == ordinal;
}
