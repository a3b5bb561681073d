namespace QuickSilver.Protocol.Flow.Buffers;

/// <summary>
/// A part of a <see cref="Flow.Buffers.Chunk"/>. Copying the struct copies no reference: a holder beyond a call retains
/// the slice, and releases it once.
/// </summary>
/// <param name="Chunk">The memory's owner; null in the default value, which is empty.</param>
/// <param name="Offset">Where the part begins in the chunk.</param>
/// <param name="Length">Its length in bytes.</param>
internal readonly record struct Slice(Chunk? Chunk, int Offset, int Length)
{
    /// <summary>True when there is no memory behind this value.</summary>
    public bool IsEmpty => Chunk is null;

    /// <summary>The bytes.</summary>
    public Span<byte> Span => Chunk is null ? default : Chunk.AsSpan(Offset, Length);

    /// <summary>The bytes, for a holder that keeps them beyond a call with a reference.</summary>
    public Memory<byte> Memory => Chunk is null ? default : Chunk.Memory.Slice(Offset, Length);

    /// <summary>A part of this part; both share one reference.</summary>
    public Slice Part(int offset, int length)
    {
        System.Diagnostics.Debug.Assert(
            (uint)offset <= (uint)Length && (uint)length <= (uint)(Length - offset),
            "part outside the slice");
        return new Slice(Chunk, Offset + offset, length);
    }

    /// <summary>Adds a reference.</summary>
    public void Retain() => Chunk?.Retain();

    /// <summary>Releases a reference.</summary>
    public void Release() => Chunk?.Release();
}
