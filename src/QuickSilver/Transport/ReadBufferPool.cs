namespace QuickSilver.Transport;

/// <summary>
/// The buffers that reads arrive in: 64 KiB each, pinned, because a coalescing socket that is offered less loses the rest of a train without a word.
/// Not thread-safe: core thread only, or under the owner's lock.
/// </summary>
internal sealed class ReadBufferPool
{
    /// <summary>Bytes of a buffer.</summary>
    public const int BufferBytes = 1 << 16;

    private readonly Stack<byte[]> _free = new();

    /// <summary>Takes a buffer; contents are whatever was there.</summary>
    public byte[] Rent() => _free.TryPop(out byte[]? buffer) ? buffer : GC.AllocateUninitializedArray<byte>(BufferBytes, pinned: true);

    /// <summary>Gives a buffer back.</summary>
    public void Return(byte[] buffer) => _free.Push(buffer);
}
