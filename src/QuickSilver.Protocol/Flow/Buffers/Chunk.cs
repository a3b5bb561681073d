using System.Buffers;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics.X86;

namespace QuickSilver.Protocol.Flow.Buffers;

/// <summary>
/// A reference-counted piece of memory, cut into <see cref="Slice"/>s. It goes back home when the last reference is released: to the pool that made
/// it, or, where the memory belongs to another process, to who borrowed it there. The memory never moves, so its address may be handed to the kernel.
/// Core thread only, but for looking at the bytes: what another thread gives back comes through the request queue.
/// </summary>
public sealed unsafe class Chunk : MemoryManager<byte>
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

    /// <summary>Makes a chunk of memory that is not the collector's.</summary>
    /// <param name="home">Keeps the memory in place as long as it can be reached, which the chunk sees to.</param>
    /// <param name="start">Where the memory begins.</param>
    /// <param name="length">Its length.</param>
    internal Chunk(IChunkHome home, byte* start, int length)
    {
        _home = home;
        _start = start;
        Length = length;
    }

    /// <summary>Bytes of the memory.</summary>
    public int Length { get; }

    /// <summary>Who rented the chunk.</summary>
    public BufferOwner Owner { get; private set; }

    /// <summary>References held now; 0 when it is at home.</summary>
    public int References => _references;

    /// <summary>Where it goes when nobody holds it any more.</summary>
    internal IChunkHome Home => _home;

    /// <summary>A part of the memory.</summary>
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
        System.Diagnostics.Debug.Assert(_references > 0, "a chunk at home cannot be retained");
        _references += count;
    }

    /// <summary>Gives one reference up; the last one sends the chunk home.</summary>
    public void Release()
    {
        System.Diagnostics.Debug.Assert(_references > 0, "released more often than retained");
        if (--_references == 0) _home.Return(this);
    }

    /// <inheritdoc/>
    public override Span<byte> GetSpan() => new(_start, Length);

    /// <summary>The memory's address, which is good as long as somebody holds the chunk.</summary>
    public override MemoryHandle Pin(int elementIndex = 0)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan((uint)elementIndex, (uint)Length, nameof(elementIndex));
        return new MemoryHandle(_start + elementIndex, default, this);
    }

    /// <inheritdoc/>
    public override void Unpin()
    {
    }

    /// <summary>Asks the processor for the line of memory at a place in the chunk, which will soon be written. Does nothing beyond the end, or where
    /// processors are not asked.</summary>
    internal void Prefetch(int offset)
    {
        if (Sse.IsSupported && (uint)offset < (uint)Length) Sse.Prefetch0(_start + offset);
    }

    /// <summary>Takes another pinned array of the same length in the place of its own, which nobody else may look at yet. Only for chunks made of
    /// arrays.</summary>
    /// <returns>The array it had.</returns>
    internal byte[] Exchange(byte[] array)
    {
        System.Diagnostics.Debug.Assert(_references == 1 && array.Length == Length, "in use, or of another length");
        System.Diagnostics.Debug.Assert(GC.GetGeneration(array) == GC.MaxGeneration, "pinned arrays are of the last generation from the beginning");
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

    private static void ThrowOutside() => throw new ArgumentOutOfRangeException(null, "The part is not inside the chunk.");

    private void Use(byte[] array)
    {
        _array = array;
        _start = (byte*)Unsafe.AsPointer(ref MemoryMarshal.GetArrayDataReference(array));
    }
}
