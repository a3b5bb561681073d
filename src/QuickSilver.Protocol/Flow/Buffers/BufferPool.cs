using System.Diagnostics.CodeAnalysis;
using System.Numerics;

namespace QuickSilver.Protocol.Flow.Buffers;

/// <summary>
/// Pooled memory for the core thread: chunks of 64 KiB for packets, and powers of two above that for messages that span
/// packets. Chunks are pinned arrays, made when first needed and kept up to a limit. So the steady state allocates
/// nothing and the collector moves nothing. Counts are kept per <see cref="BufferOwner"/>: a chunk that is never
/// returned shows there.
/// </summary>
internal sealed class BufferPool : IChunkHome
{
    /// <summary>Bytes of an ordinary chunk: one kernel train.</summary>
    public const int ChunkBytes = 1 << 16;

    private const int SmallestLog2 = 16;
    private const int Classes = 10;
    private const int KeptBytesAboveChunk = 32 << 20;

    private static readonly int Owners = Enum.GetValues<BufferOwner>().Length;
    private readonly Stack<Chunk>[] _free = new Stack<Chunk>[Classes];
    private readonly long[] _outBytes = new long[Owners];
    private readonly long _keptBytes;
    private readonly IMemoryBudget? _budget;
    private long _freeBytes;
    private long _freeLargeBytes;
    private long _madeBytes;
    private bool _isAbandoned;

    /// <summary>Makes an empty pool.</summary>
    /// <param name="keptBytes">How much returned memory to keep for reuse; chunks above it are left to the
    /// collector.</param>
    /// <param name="budget">The limit that this pool shares with others; null: no limit.</param>
    public BufferPool(long keptBytes = 512L << 20, IMemoryBudget? budget = null)
    {
        _keptBytes = keptBytes;
        _budget = budget;
        for (int index = 0; index < Classes; index++) _free[index] = new Stack<Chunk>();
    }

    /// <summary>True while memory is short: rent only what is necessary.</summary>
    public bool IsTight => _budget is { IsTight: true };

    /// <summary>Bytes rented now, by all owners.</summary>
    public long OutstandingBytes { get; private set; }

    /// <summary>Chunks rented now, by all owners; 0 when every buffer has been returned.</summary>
    public int OutstandingChunks { get; private set; }

    /// <summary>Bytes rented now by one owner.</summary>
    public long OutstandingBytesOf(BufferOwner owner) => _outBytes[(int)owner];

    /// <summary>Rents a chunk of 64 KiB with one reference. Its contents are undefined.</summary>
    public Chunk Rent(BufferOwner owner) => Rent(ChunkBytes, owner);

    /// <summary>Rents a chunk of at least <paramref name="minimumBytes"/> (up to 32 MiB) with one reference.</summary>
    public Chunk Rent(int minimumBytes, BufferOwner owner)
    {
        int log2 = Math.Max(SmallestLog2, BitOperations.Log2((uint)Math.Max(1, minimumBytes - 1)) + 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(log2, SmallestLog2 + Classes - 1, nameof(minimumBytes));
        Stack<Chunk> free = _free[log2 - SmallestLog2];
        Chunk chunk;
        if (free.TryPop(out Chunk? reused))
        {
            chunk = reused;
            _freeBytes -= chunk.Length;
            if (log2 > SmallestLog2) _freeLargeBytes -= chunk.Length;
        }
        else
        {
            chunk = new Chunk(this, GC.AllocateUninitializedArray<byte>(1 << log2, pinned: true));
            Count(chunk.Length);
        }
        chunk.Rented(owner);
        _outBytes[(int)owner] += chunk.Length;
        OutstandingBytes += chunk.Length;
        OutstandingChunks++;
        return chunk;
    }

    /// <summary>
    /// Rents a chunk for what another node has sent: without memory that is dropped, and asked for again when there is
    /// some.
    /// </summary>
    /// <returns>False when the process has no memory for it.</returns>
    internal bool TryRent(int minimumBytes, BufferOwner owner, [NotNullWhen(true)] out Chunk? chunk)
    {
        try
        {
            chunk = Rent(minimumBytes, owner);
            return true;
        }
        catch (OutOfMemoryException)
        {
            chunk = null;
            return false;
        }
    }

    /// <summary>
    /// Ends the accounting when the pool's node has ended: rented and kept chunks are left to the collector.
    /// </summary>
    public void Abandon()
    {
        Count(-_madeBytes);
        _isAbandoned = true;
    }

    private void Count(long bytes)
    {
        if (_budget is null || _isAbandoned) return;
        _madeBytes += bytes;
        _budget.Add(bytes);
    }

    void IChunkHome.Return(Chunk chunk)
    {
        int bytes = chunk.Length;
        _outBytes[(int)chunk.Owner] -= bytes;
        OutstandingBytes -= bytes;
        OutstandingChunks--;
        bool large = bytes > ChunkBytes;
        if (_freeBytes + bytes > _keptBytes || (large && _freeLargeBytes + bytes > KeptBytesAboveChunk) || IsTight)
        {
            Count(-bytes);
            return;
        }
        _free[BitOperations.Log2((uint)bytes) - SmallestLog2].Push(chunk);
        _freeBytes += bytes;
        if (large) _freeLargeBytes += bytes;
    }
}
