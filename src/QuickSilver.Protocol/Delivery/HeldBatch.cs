using QuickSilver.Protocol.Flow;

namespace QuickSilver.Protocol.Delivery;

/// <summary>
/// Messages that cannot be delivered yet and are held as one entry: a batch of messages, or a single message in
/// fragments.
/// </summary>
/// <remarks>
/// A lost packet makes all following messages wait, and each packet may bring dozens: a batch costs one entry and one
/// reference. The positions of its messages follow from the lowest, so the packet is not read again. The packet came
/// milliseconds ago and is out of the caches; reading it record by record was measured to cost as much as a batch
/// saves. Messages of unequal lengths make several batches, in the worst case one for each.
/// </remarks>
internal struct HeldBatch
{
    /// <summary>The charge of an entry or a fragment in addition to its bytes: about the cost of keeping it.</summary>
    public const int Overhead = 64;

    private DeliveryBatch _messages;

    /// <summary>Holds whole messages. One reference serves them all.</summary>
    public HeldBatch(in DeliveryBatch messages) => _messages = messages;

    /// <summary>Holds a message in fragments.</summary>
    public HeldBatch(ulong number, Reassembly parts)
    {
        _messages = new DeliveryBatch(number, default);
        Parts = parts;
    }

    /// <summary>The messages; for a message in fragments only the number.</summary>
    public readonly DeliveryBatch Messages => _messages;

    /// <summary>Fragments; null for whole messages.</summary>
    public Reassembly? Parts { get; }

    /// <summary>Number of the lowest message.</summary>
    public readonly ulong Number => _messages.Number;

    /// <summary>The number after the highest message's.</summary>
    public readonly ulong End => _messages.End;

    /// <summary>True when the messages can be delivered.</summary>
    public readonly bool IsComplete => Parts is null || Parts.IsComplete;

    /// <summary>The charge of the batch against the cap.</summary>
    public readonly long Charge =>
        Parts is null ? _messages.TotalLength + Overhead : Parts.Received + ((long)Parts.Count * Overhead);

    /// <summary>True when the message of this number is in the batch.</summary>
    public readonly bool Covers(ulong number) => number - Number < (ulong)_messages.Count;

    /// <summary>Appends messages, without a reference of their own, if they continue the batch.</summary>
    public bool TryAppend(in DeliveryBatch next) => _messages.TryAppend(next);

    /// <summary>Removes some of the lowest messages, not all. The batch keeps its reference.</summary>
    public void MoveOn(int messages)
    {
        System.Diagnostics.Debug.Assert(messages < _messages.Count, "the last message leaves with its batch");
        _messages = _messages.After(messages);
    }
}
