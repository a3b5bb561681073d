using System.Buffers;
using System.Buffers.Binary;

namespace QuickSilver.Membership;

/// <summary>
/// Whole frames of one connection on their way to the thread that handles them, as they came: each behind its length in four bytes, little-endian.
/// Made by the receiving task, emptied once, then given back.
/// </summary>
internal sealed class FrameBatch
{
    /// <summary>Bytes of a frame's length.</summary>
    public const int PrefixBytes = 4;

    private readonly byte[] _bytes;
    private readonly int _length;
    private int _position;

    private FrameBatch(byte[] bytes, int length)
    {
        _bytes = bytes;
        _length = length;
    }

    /// <summary>Copies frames out of a receive buffer.</summary>
    /// <param name="frames">Whole frames, lengths included.</param>
    public static FrameBatch Copy(in ReadOnlySequence<byte> frames)
    {
        int length = checked((int)frames.Length);
        byte[] bytes = ArrayPool<byte>.Shared.Rent(length);
        frames.CopyTo(bytes);
        return new FrameBatch(bytes, length);
    }

    /// <summary>
    /// Looks how many bytes at the start of <paramref name="received"/> are whole frames.
    /// </summary>
    /// <param name="received">What has been received and not yet taken.</param>
    /// <param name="longestFirst">The longest that the first of them may be.</param>
    /// <param name="longest">The longest that the others may be.</param>
    /// <param name="whole">Bytes of the whole frames, lengths included.</param>
    /// <returns>What is wrong with the frame after them, as far as can be told; null: nothing.</returns>
    public static FrameEnd? Measure(in ReadOnlySequence<byte> received, int longestFirst, int longest, out long whole)
    {
        Span<byte> prefix = stackalloc byte[PrefixBytes];
        whole = 0;
        while (received.Length - whole >= PrefixBytes)
        {
            received.Slice(whole, PrefixBytes).CopyTo(prefix);
            uint length = BinaryPrimitives.ReadUInt32LittleEndian(prefix);
            if (length == 0) return FrameEnd.EmptyFrame;
            if (length > (uint)(whole == 0 ? longestFirst : longest)) return FrameEnd.OversizeFrame;
            if (received.Length - whole - PrefixBytes < length) return null;
            whole += PrefixBytes + length;
        }
        return null;
    }

    /// <summary>Takes the next frame, without its length; valid until <see cref="Return"/>.</summary>
    public bool TryNext(out ReadOnlySpan<byte> frame)
    {
        if (_position >= _length)
        {
            frame = default;
            return false;
        }
        int length = BinaryPrimitives.ReadInt32LittleEndian(_bytes.AsSpan(_position));
        frame = _bytes.AsSpan(_position + PrefixBytes, length);
        _position += PrefixBytes + length;
        return true;
    }

    /// <summary>Gives the memory back. Once.</summary>
    public void Return() => ArrayPool<byte>.Shared.Return(_bytes);
}
