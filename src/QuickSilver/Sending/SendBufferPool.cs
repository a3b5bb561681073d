using System.Numerics;

namespace QuickSilver.Sending;

/// <summary>
/// Memory for messages on their way to the core, rented on any thread and returned on the core thread.
/// <see cref="System.Buffers.ArrayPool{T}.Shared"/> allocates in that pattern. Sizes are powers of two from 256 B to
/// 16 MiB, with one <see cref="PayloadStack"/> each. Allocates nothing once it has met the largest backlog.
/// </summary>
internal sealed class SendBufferPool
{
    /// <summary>Length of the longest message.</summary>
    public const int LargestBytes = 1 << LargestLog2;

    private const int SmallestLog2 = 8;
    private const int LargestLog2 = 24;
    private const int LargestBudget = 1 << 17;

    private readonly PayloadStack[] _stacks = new PayloadStack[LargestLog2 - SmallestLog2 + 1];

    /// <summary>Creates an empty pool.</summary>
    /// <param name="keptBytesPerSize">Memory to keep for reuse in each size: the node's limit on pending bytes.</param>
    public SendBufferPool(long keptBytesPerSize = 128L << 20)
    {
        for (int index = 0; index < _stacks.Length; index++)
        {
            int bytes = 1 << (SmallestLog2 + index);
            _stacks[index] = new PayloadStack(bytes, (int)Math.Clamp(keptBytesPerSize / bytes, 2, LargestBudget));
        }
    }

    /// <summary>Counts the rented payloads by walking the free ones. Valid only while no thread sends.</summary>
    public int CountRented()
    {
        int rented = 0;
        foreach (PayloadStack stack in _stacks) rented += stack.Count - stack.CountFree();
        return rented;
    }

    /// <summary>Frees the payloads that the core returned during its turn. Core thread only; called at the end of every
    /// turn.</summary>
    public void OnTurnEnded()
    {
        foreach (PayloadStack stack in _stacks) stack.FlushCollected();
    }

    /// <summary>
    /// Rents memory for a message of up to <paramref name="minimumBytes"/> bytes, with one reference.
    /// <see cref="PooledPayload.Length"/> is set to that number. The contents are undefined.
    /// </summary>
    public PooledPayload Rent(int minimumBytes)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan((uint)minimumBytes, (uint)LargestBytes, nameof(minimumBytes));
        int log2 = Math.Max(SmallestLog2, BitOperations.Log2((uint)Math.Max(1, minimumBytes - 1)) + 1);
        PooledPayload payload = _stacks[log2 - SmallestLog2].Pop();
        payload.Length = minimumBytes;
        payload.Owners = null;
        payload.IsPiece = false;
        payload.Traits = default;
        return payload;
    }

    /// <summary>Rents memory with a copy of <paramref name="message"/>.</summary>
    public PooledPayload Copy(ReadOnlySpan<byte> message)
    {
        PooledPayload payload = Rent(message.Length);
        message.CopyTo(payload.Array);
        return payload;
    }
}
