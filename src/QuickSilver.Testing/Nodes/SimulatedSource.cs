using QuickSilver.Protocol.Dissemination.Messages;
using QuickSilver.Testing.Invariants;

namespace QuickSilver.Testing.Nodes;

/// <summary>A source of messages that the protocol asks when it can send.</summary>
/// <param name="owner">Makes the messages.</param>
/// <param name="group">Where they go.</param>
/// <param name="writesBatches">Whether it writes messages of one length side by side.</param>
internal sealed class SimulatedSource(NodeApplication owner, SimulatedGroup group, bool writesBatches) : IMessageSource
{
    private Queue<SentLongMessage>? _givenUp;
    private Action? _done;

    /// <summary>Sizes of the messages it has still to give, and whether each is handed over with a ticket or
    /// written.</summary>
    public Queue<(int Bytes, bool IsHanded)> Sizes { get; } = new();

    /// <summary>Above 0: it always has another message of so many bytes.</summary>
    public int EndlessBytes { get; set; }

    /// <summary>From now on it gives nothing but the words that long messages are given up.</summary>
    /// <param name="open">The long messages.</param>
    /// <param name="done">Called in a call of the protocol, once all have been taken.</param>
    public void GiveUp(IReadOnlyList<SentLongMessage> open, Action done)
    {
        _givenUp = new Queue<SentLongMessage>(open);
        _done = done;
    }

    /// <inheritdoc/>
    public bool Write(MessageWriter messages)
    {
        if (_givenUp is not null) return WriteGivenUp(_givenUp, messages);
        while (true)
        {
            if (WriteBatch(messages) is > 0 and int count && !messages.EndMessages(count)) return true;
            if (EndlessBytes > 0)
            {
                owner.WritePulled(group, EndlessBytes, messages);
            }
            else if (!Sizes.TryDequeue(out (int Bytes, bool IsHanded) next))
            {
                WriteNothing(messages);
                return false;
            }
            else if (next.IsHanded)
            {
                if (next.Bytes % 2 == 1) WriteNothing(messages);
                owner.Hand(group, next.Bytes, messages);
                return true;
            }
            else
            {
                owner.WritePulled(group, next.Bytes, messages);
            }
            if (!messages.EndMessage()) return true;
        }
    }

    private bool WriteGivenUp(Queue<SentLongMessage> open, MessageWriter messages)
    {
        if (open.TryDequeue(out SentLongMessage? next))
        {
            owner.HandGivenUp(group, next, messages);
            return true;
        }
        _done?.Invoke();
        _done = null;
        return false;
    }

    // What is written before false, or before a message is handed over, is to be discarded: so something is written.
    private static void WriteNothing(MessageWriter messages)
    {
        messages.GetSpan(1)[0] = 1;
        messages.Advance(1);
    }

    // As many messages of the length that is asked for as come next.
    private int WriteBatch(MessageWriter messages)
    {
        int count = 0;
        if (!writesBatches || !messages.TryGetBatchRoom(out Span<byte> room, out int length)) return count;
        for (; room.Length >= length && NextHas(length); count++)
        {
            if (EndlessBytes == 0) Sizes.Dequeue();
            owner.WritePulled(group, room[..length]);
            room = room[length..];
        }
        return count;
    }

    private bool NextHas(int length) =>
        EndlessBytes > 0
            ? EndlessBytes == length
            : Sizes.TryPeek(out (int Bytes, bool IsHanded) next) && !next.IsHanded && next.Bytes == length;
}
