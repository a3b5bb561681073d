using System.Buffers;
using QuickSilver.Protocol.Dissemination;

namespace QuickSilver.Testing.Nodes;

/// <summary>A source of messages that the protocol asks when it can send.</summary>
/// <param name="owner">Makes the messages.</param>
/// <param name="group">Where they go.</param>
/// <param name="writesRuns">Whether it writes messages of one length side by side.</param>
internal sealed class SimulatedSource(NodeApplication owner, SimulatedGroup group, bool writesRuns) : IMessageSource
{
    /// <summary>Sizes of the messages it has still to give, and whether each is to be admitted instead.</summary>
    public Queue<(int Bytes, bool IsAdmitted)> Sizes { get; } = new();

    /// <summary>How many are to be admitted.</summary>
    public int ToAdmit { get; set; }

    /// <summary>Above 0: it always has another message of so many bytes.</summary>
    public int EndlessBytes { get; set; }

    /// <inheritdoc/>
    public bool Write(MessageWriter messages)
    {
        // What was admitted before goes first.
        if (!group.Local.IsDrained) return true;
        bool isAnyLeft;
        do
        {
            if (WriteRun(messages) is > 0 and int count && !messages.EndMessages(count)) return true;
            isAnyLeft = TryWriteNext(messages);
        }
        while (isAnyLeft && messages.EndMessage());
        return isAnyLeft;
    }

    // As many messages of the length that is asked for as come next.
    private int WriteRun(MessageWriter messages)
    {
        int count = 0;
        if (!writesRuns || !messages.TryGetRunRoom(out Span<byte> room, out int length)) return count;
        for (; room.Length >= length && NextHas(length); count++)
        {
            if (EndlessBytes == 0) Sizes.Dequeue();
            owner.WritePulled(group, room[..length]);
            room = room[length..];
        }
        return count;
    }

    private bool NextHas(int length) =>
        EndlessBytes > 0 ? EndlessBytes == length : Sizes.TryPeek(out (int Bytes, bool IsAdmitted) next) && !next.IsAdmitted && next.Bytes == length;

    /// <inheritdoc/>
    public bool TryWriteNext(IBufferWriter<byte> message)
    {
        if (EndlessBytes > 0)
        {
            owner.WritePulled(group, EndlessBytes, message);
            return true;
        }
        if (!Sizes.TryPeek(out (int Bytes, bool IsAdmitted) next) || next.IsAdmitted)
        {
            // What is written before false is to be discarded: so something is written.
            message.GetSpan(1)[0] = 1;
            message.Advance(1);
            return false;
        }
        Sizes.Dequeue();
        owner.WritePulled(group, next.Bytes, message);
        return true;
    }
}
