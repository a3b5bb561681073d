namespace QuickSilver.Transport;

/// <summary>
/// The pooled receive buffers: 64 KiB each, because a coalescing socket silently loses the rest of a train that does
/// not fit, and pinned. Not thread-safe: core thread only, or under the owner's lock.
/// </summary>
internal sealed class ReadBufferPool
{
    /// <summary>The size of a buffer, in bytes.</summary>
    public const int BufferBytes = 1 << 16;

    private readonly Stack<byte[]> _free = new();

    /// <summary>Rents a buffer, whose contents are undefined.</summary>
    public byte[] Rent() =>
        _free.TryPop(out byte[]? buffer) ? buffer : GC.AllocateUninitializedArray<byte>(BufferBytes, pinned: true);

    /// <summary>Returns a rented buffer.</summary>
    public void Return(byte[] buffer) => _free.Push(buffer);
}
