using QuickSilver.Protocol.Flow;

namespace QuickSilver.Protocol.Delivery;

/// <summary>
/// What cannot be delivered yet and is held as one: a run of messages, or a single message in fragments.
/// </summary>
/// <remarks>
/// A lost packet makes all that follow wait, and each of them may bring dozens of messages: as a run they cost one entry and one reference. Where
/// each stands follows from the lowest, so the packet is not read again: it came milliseconds ago and is out of the caches, and going from record to
/// record there was measured to cost what a run saves. Messages of unequal lengths make several runs, in the worst case one for each.
/// </remarks>
internal struct HeldBatch
{
    /// <summary>What an entry or a fragment is charged beside its bytes: about what keeping it costs.</summary>
    public const int Overhead = 64;

    private DeliveryBatch _messages;

    /// <summary>Whole messages. One reference serves them all.</summary>
    public HeldBatch(in DeliveryBatch messages) => _messages = messages;

    /// <summary>A message in fragments.</summary>
    public HeldBatch(ulong number, Reassembly parts)
    {
        _messages = new DeliveryBatch(number, default);
        Parts = parts;
    }

    /// <summary>The messages; of one in fragments only the number.</summary>
    public readonly DeliveryBatch Messages => _messages;

    /// <summary>Fragments; null for whole messages.</summary>
    public Reassembly? Parts { get; }

    /// <summary>Number of the lowest message.</summary>
    public readonly ulong Number => _messages.Number;

    /// <summary>The number after the highest message's.</summary>
    public readonly ulong End => _messages.End;

    /// <summary>True when the messages can be delivered.</summary>
    public readonly bool IsComplete => Parts is null || Parts.IsComplete;

    /// <summary>What the run is charged against the cap.</summary>
    public readonly long Charge => Parts is null ? _messages.TotalLength + Overhead : Parts.Received + ((long)Parts.Count * Overhead);

    /// <summary>True when a message of this number is here.</summary>
    public readonly bool Covers(ulong number) => number - Number < (ulong)_messages.Count;

    /// <summary>Takes messages in, without a reference of their own, if they go on where the run ends.</summary>
    public bool TryAppend(in DeliveryBatch next) => _messages.TryAppend(next);

    /// <summary>Leaves some of the lowest messages behind, not all. The run keeps its reference.</summary>
    public void MoveOn(int messages)
    {
        System.Diagnostics.Debug.Assert(messages < _messages.Count, "the last message leaves with its run");
        _messages = _messages.After(messages);
    }
}
