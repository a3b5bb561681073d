using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics.X86;

namespace QuickSilver.Protocol.Flow;

/// <summary>
/// A reference-counted piece of pooled memory, cut into <see cref="Slice"/>s. It goes back to its pool when the last reference is released.
/// Core thread only: what another thread gives back comes through the request queue.
/// </summary>
public sealed class Chunk
{
    private readonly BufferPool _pool;
    private int _references;

    internal Chunk(BufferPool pool, byte[] array)
    {
        _pool = pool;
        Array = array;
    }

    /// <summary>The memory; pinned, so that its address may be handed to the kernel.</summary>
    public byte[] Array { get; private set; }

    /// <summary>Who rented the chunk.</summary>
    public BufferOwner Owner { get; private set; }

    /// <summary>References held now; 0 when in the pool.</summary>
    public int References => _references;

    /// <summary>Adds references, one for each holder.</summary>
    public void Retain(int count = 1)
    {
        System.Diagnostics.Debug.Assert(_references > 0, "a chunk in the pool cannot be retained");
        _references += count;
    }

    /// <summary>Gives one reference up; the last one returns the chunk to its pool.</summary>
    public void Release()
    {
        System.Diagnostics.Debug.Assert(_references > 0, "released more often than retained");
        if (--_references == 0) _pool.Return(this);
    }

    /// <summary>Asks the processor for the line of memory at a place in the array, which will soon be written. Does nothing beyond the end, or where
    /// processors are not asked.</summary>
    internal unsafe void Prefetch(int offset)
    {
        if (Sse.IsSupported && (uint)offset < (uint)Array.Length) Sse.Prefetch0(Unsafe.AsPointer(ref Array[offset]));
    }

    /// <summary>Takes another pinned array of the same length in the place of its own, which nobody else may look at yet.</summary>
    /// <returns>The array it had.</returns>
    internal byte[] Exchange(byte[] array)
    {
        System.Diagnostics.Debug.Assert(_references == 1 && array.Length == Array.Length, "in use, or of another length");
        byte[] before = Array;
        Array = array;
        return before;
    }

    internal void Rented(BufferOwner owner)
    {
        Owner = owner;
        _references = 1;
    }
}
