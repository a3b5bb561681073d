using System.Numerics;

namespace QuickSilver.Sending;

/// <summary>
/// Memory for messages on their way to the core: rented on any thread, returned on the core thread (<see cref="System.Buffers.ArrayPool{T}.Shared"/>
/// allocates in that pattern). Sizes are powers of two from 256 B to 16 MiB, one <see cref="PayloadStack"/> each. Once the largest backlog has been
/// met, nothing is allocated.
/// </summary>
internal sealed class SendBufferPool
{
    /// <summary>The longest message.</summary>
    public const int LargestBytes = 1 << LargestLog2;

    private const int SmallestLog2 = 8;
    private const int LargestLog2 = 24;
    private const int LargestBudget = 1 << 17;

    private readonly PayloadStack[] _stacks = new PayloadStack[LargestLog2 - SmallestLog2 + 1];

    /// <summary>Makes an empty pool.</summary>
    /// <param name="keptBytesPerSize">How much memory to keep for reuse, for each size: as much as the node may have pending.</param>
    public SendBufferPool(long keptBytesPerSize = 128L << 20)
    {
        for (int index = 0; index < _stacks.Length; index++)
        {
            int bytes = 1 << (SmallestLog2 + index);
            _stacks[index] = new PayloadStack(bytes, (int)Math.Clamp(keptBytesPerSize / bytes, 2, LargestBudget));
        }
    }

    /// <summary>Payloads that are rented. For when nobody sends any more: walks all that are free.</summary>
    public int CountRented()
    {
        int rented = 0;
        foreach (PayloadStack stack in _stacks) rented += stack.Count - stack.CountFree();
        return rented;
    }

    /// <summary>Makes free what the core gave back during its turn. Core thread only; called at the end of every turn.</summary>
    public void OnTurnEnded()
    {
        foreach (PayloadStack stack in _stacks) stack.FlushCollected();
    }

    /// <summary>
    /// Rents memory for a message of up to <paramref name="minimumBytes"/>, with one reference; <see cref="PooledPayload.Length"/> is set to it.
    /// Contents are whatever was there.
    /// </summary>
    public PooledPayload Rent(int minimumBytes)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan((uint)minimumBytes, (uint)LargestBytes, nameof(minimumBytes));
        int log2 = Math.Max(SmallestLog2, BitOperations.Log2((uint)Math.Max(1, minimumBytes - 1)) + 1);
        PooledPayload payload = _stacks[log2 - SmallestLog2].Pop();
        payload.Length = minimumBytes;
        return payload;
    }

    /// <summary>Rents memory that holds a copy of <paramref name="message"/>.</summary>
    public PooledPayload Copy(ReadOnlySpan<byte> message)
    {
        PooledPayload payload = Rent(message.Length);
        message.CopyTo(payload.Array);
        return payload;
    }
}
