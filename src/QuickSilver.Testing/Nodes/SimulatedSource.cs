using System.Buffers;
using QuickSilver.Protocol.Dissemination;

namespace QuickSilver.Testing.Nodes;

/// <summary>A source of messages that the protocol asks when it can send.</summary>
internal sealed class SimulatedSource(NodeApplication owner, SimulatedGroup group) : IMessageSource
{
    /// <summary>Sizes of the messages it has still to give.</summary>
    public Queue<int> Sizes { get; } = new();

    /// <summary>Above 0: it always has another message of so many bytes.</summary>
    public int EndlessBytes { get; set; }

    /// <inheritdoc/>
    public bool TryWriteNext(IBufferWriter<byte> message)
    {
        if (EndlessBytes > 0)
        {
            owner.WritePulled(group, EndlessBytes, message);
            return true;
        }
        if (!Sizes.TryDequeue(out int bytes))
        {
            // What is written before false is to be discarded: so something is written.
            message.GetSpan(1)[0] = 1;
            message.Advance(1);
            return false;
        }
        owner.WritePulled(group, bytes, message);
        return true;
    }
}
