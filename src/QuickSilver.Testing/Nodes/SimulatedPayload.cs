using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow;

namespace QuickSilver.Testing.Nodes;

/// <summary>The bytes of a message on their way out; taken from and given back to its node's application, and
/// overwritten in between.</summary>
internal sealed class SimulatedPayload(NodeApplication owner) : Payload
{
    private byte[] _bytes = [];
    private int _length;

    /// <inheritdoc/>
    public override ReadOnlySpan<byte> Span => _bytes.AsSpan(0, _length);

    /// <summary>Bytes to write a message of this length into.</summary>
    public Span<byte> Start(int length)
    {
        if (_bytes.Length < length) _bytes = new byte[length];
        _length = length;
        return _bytes.AsSpan(0, length);
    }

    /// <summary>Shortens the message.</summary>
    public void Cut(int length) => _length = length;

    /// <summary>Fills a message so that its bytes tell it from every other, as far as they go: a counter of eight
    /// bytes, then noise grown from it.</summary>
    public static void Fill(Span<byte> bytes, ulong identity)
    {
        ulong state = identity;
        for (int index = 0; index < bytes.Length; index++)
        {
            if (index % sizeof(ulong) == 0) state = SeededRandom.Mix(state + (ulong)index);
            bytes[index] = (byte)(state >> (8 * (index % sizeof(ulong))));
        }
    }

    /// <inheritdoc/>
    protected override void Recycle()
    {
        _bytes.AsSpan(0, _length).Fill(0xDB);
        owner.Return(this);
    }
}
