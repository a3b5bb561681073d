using System.Buffers;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics.X86;

namespace QuickSilver.Protocol.Flow.Buffers;

/// <summary>
/// A reference-counted piece of memory, cut into <see cref="Slice"/>s. When the last reference is released it returns
/// to its owner: the pool that made it, or the borrower of memory that belongs to another process. The memory never
/// moves, so its address may be passed to the kernel. Core thread only, except for reading the bytes. Other threads
/// release their references through the request queue.
/// </summary>
internal sealed unsafe class Chunk : MemoryManager<byte>
{
    private readonly IChunkHome _home;
    private byte* _start;
    private byte[]? _array;
    private int _references;

    /// <summary>Makes a chunk of a pinned array.</summary>
    internal Chunk(IChunkHome home, byte[] array)
    {
        _home = home;
        Length = array.Length;
        Use(array);
    }

    /// <summary>Makes a chunk of memory that the collector does not manage.</summary>
    /// <param name="home">Keeps the memory in place while it is reachable; the chunk holds it.</param>
    /// <param name="start">The first byte.</param>
    /// <param name="length">Length in bytes.</param>
    internal Chunk(IChunkHome home, byte* start, int length)
    {
        _home = home;
        _start = start;
        Length = length;
    }

    /// <summary>Bytes of the memory.</summary>
    public int Length { get; }

    /// <summary>The purpose for which the chunk was rented.</summary>
    public BufferOwner Owner { get; private set; }

    /// <summary>References held now; 0 when the chunk is free.</summary>
    public int References => _references;

    /// <summary>The owner to which the chunk returns after its last release.</summary>
    internal IChunkHome Home => _home;

    /// <summary>A part of the memory, without a reference of its own.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The part is not inside.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public Span<byte> AsSpan(int offset, int length)
    {
        if ((ulong)(uint)offset + (uint)length > (uint)Length) ThrowOutside();
        return new Span<byte>(_start + offset, length);
    }

    /// <summary>Adds references, one for each holder.</summary>
    public void Retain(int count = 1)
    {
        System.Diagnostics.Debug.Assert(_references > 0, "a free chunk cannot be retained");
        _references += count;
    }

    /// <summary>Releases one reference; the last release returns the chunk to its owner.</summary>
    public void Release()
    {
        System.Diagnostics.Debug.Assert(_references > 0, "released more often than retained");
        if (--_references == 0) _home.Return(this);
    }

    /// <inheritdoc/>
    public override Span<byte> GetSpan() => new(_start, Length);

    /// <summary>The memory's address, valid while a reference to the chunk is held.</summary>
    public override MemoryHandle Pin(int elementIndex = 0)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan((uint)elementIndex, (uint)Length, nameof(elementIndex));
        return new MemoryHandle(_start + elementIndex, default, this);
    }

    /// <inheritdoc/>
    public override void Unpin()
    {
    }

    /// <summary>
    /// Prefetches the cache line at an offset in the chunk that will soon be written. Does nothing beyond the end, or
    /// on processors without prefetch.
    /// </summary>
    internal void Prefetch(int offset)
    {
        if (Sse.IsSupported && (uint)offset < (uint)Length) Sse.Prefetch0(_start + offset);
    }

    /// <summary>
    /// Exchanges the chunk's array for another pinned array of the same length, which nobody else may read yet. Only
    /// for chunks made of arrays.
    /// </summary>
    /// <returns>The previous array.</returns>
    internal byte[] Exchange(byte[] array)
    {
        System.Diagnostics.Debug.Assert(
            _references == 1 && array.Length == Length,
            "the chunk is shared, or the lengths differ");
        System.Diagnostics.Debug.Assert(
            GC.GetGeneration(array) == GC.MaxGeneration,
            "pinned arrays are of the last generation from the beginning");
        byte[] before = _array!;
        Use(array);
        return before;
    }

    internal void Rented(BufferOwner owner)
    {
        Owner = owner;
        _references = 1;
    }

    /// <inheritdoc/>
    protected override void Dispose(bool disposing)
    {
    }

    /// <inheritdoc/>
    protected override bool TryGetArray(out ArraySegment<byte> segment)
    {
        segment = _array is { } array ? new ArraySegment<byte>(array) : default;
        return _array is not null;
    }

    private static void ThrowOutside() =>
        throw new ArgumentOutOfRangeException(null, "The part is not inside the chunk.");

    private void Use(byte[] array)
    {
        _array = array;
        _start = (byte*)Unsafe.AsPointer(ref MemoryMarshal.GetArrayDataReference(array));
    }
}
