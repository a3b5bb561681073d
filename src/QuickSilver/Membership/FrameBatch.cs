using System.Buffers;
using System.Buffers.Binary;

namespace QuickSilver.Membership;

/// <summary>
/// Whole frames of one connection on their way to the handling thread, as received: each follows its length in four
/// bytes, little-endian. The receiving task creates a batch; the handling thread reads it once and returns its memory.
/// </summary>
internal sealed class FrameBatch
{
    /// <summary>The size of a frame's length prefix, in bytes.</summary>
    public const int PrefixBytes = 4;

    // Longer ones are rare: those of a join of thousands of groups. The pool would keep their memory for each thread.
    private const int LongestPooled = 1 << 15;

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
        byte[] bytes = length > LongestPooled
            ? GC.AllocateUninitializedArray<byte>(length)
            : ArrayPool<byte>.Shared.Rent(length);
        frames.CopyTo(bytes);
        return new FrameBatch(bytes, length);
    }

    /// <summary>
    /// Counts the bytes at the start of <paramref name="received"/> that are whole frames.
    /// </summary>
    /// <param name="received">The received bytes not yet consumed.</param>
    /// <param name="longestFirst">The limit of the first frame, in bytes.</param>
    /// <param name="longest">The limit of the other frames, in bytes.</param>
    /// <param name="whole">The bytes of the whole frames, with their lengths.</param>
    /// <returns>The fault of the frame after them, as far as it is visible; null for none.</returns>
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

    /// <summary>Puts the length before one frame.</summary>
    public static byte[] Wrap(ReadOnlySpan<byte> frame)
    {
        byte[] bytes = new byte[PrefixBytes + frame.Length];
        BinaryPrimitives.WriteInt32LittleEndian(bytes, frame.Length);
        frame.CopyTo(bytes.AsSpan(PrefixBytes));
        return bytes;
    }

    /// <summary>True when all frames have been taken.</summary>
    public bool IsAtEnd => _position >= _length;

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

    /// <summary>Returns the memory to its pool. Call once.</summary>
    public void Return()
    {
        if (_length <= LongestPooled) ArrayPool<byte>.Shared.Return(_bytes);
    }
}
