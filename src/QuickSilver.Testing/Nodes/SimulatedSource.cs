using System.Buffers;
using QuickSilver.Protocol.Dissemination;

namespace QuickSilver.Testing.Nodes;

/// <summary>A source of messages that the protocol asks when it can send.</summary>
internal sealed class SimulatedSource(NodeApplication owner, SimulatedGroup group) : IMessageSource
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
            isAnyLeft = TryWriteNext(messages);
        }
        while (isAnyLeft && messages.EndMessage());
        return isAnyLeft;
    }

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
