using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;

namespace QuickSilver.Sending;

/// <summary>
/// A message's bytes on their way from an application thread to the core: an array of a <see cref="SendBufferPool"/>. Filled by the thread that
/// rented it, then handed over through the group's stage; goes home by itself when the core has packed it for the last time.
/// </summary>
internal sealed class PooledPayload : Payload
{
    private readonly PayloadStack _home;
    private int _length;

    internal PooledPayload(PayloadStack home, int bytes, int index)
    {
        _home = home;
        Array = GC.AllocateUninitializedArray<byte>(bytes);
        Index = index;
    }

    /// <summary>The memory; its length is the most that <see cref="Length"/> can be.</summary>
    public byte[] Array { get; }

    /// <summary>Bytes of the message, from the start of <see cref="Array"/>.</summary>
    public int Length
    {
        get => _length;
        set
        {
            ArgumentOutOfRangeException.ThrowIfGreaterThan((uint)value, (uint)Array.Length, nameof(value));
            _length = value;
        }
    }

    /// <inheritdoc/>
    public override ReadOnlySpan<byte> Span => Array.AsSpan(0, _length);

    /// <summary>Place in the home stack's table, from 1; 0: made beyond the stack's budget, left to the collector.</summary>
    internal int Index { get; }

    /// <summary>While in the stack: index of the payload below.</summary>
    internal int Below;

    /// <summary>Gives the memory back without sending it: for whoever holds the only reference. Any thread.</summary>
    public void Return() => _home.Push(this);

    /// <inheritdoc/>
    protected override void Recycle() => _home.Collect(this);
}
