using QuickSilver.Protocol.Flow;

namespace QuickSilver.Sending;

/// <summary>
/// A message's bytes on the way from an application thread to the core, in an array of a <see cref="SendBufferPool"/>.
/// The renting thread fills it and passes it through the group's stage. It returns to its stack when the core has
/// packed it for the last time.
/// </summary>
internal sealed class PooledPayload : Payload
{
    private readonly PayloadStack _stack;
    private int _length;

    internal PooledPayload(PayloadStack stack, int bytes, int index)
    {
        _stack = stack;
        Array = GC.AllocateUninitializedArray<byte>(bytes);
        Index = index;
    }

    /// <summary>The memory; its length bounds <see cref="Length"/>.</summary>
    public byte[] Array { get; }

    /// <summary>Length of the message, from the start of <see cref="Array"/>.</summary>
    public int Length
    {
        get => _length;
        set
        {
            ArgumentOutOfRangeException.ThrowIfGreaterThan((uint)value, (uint)Array.Length, nameof(value));
            _length = value;
        }
    }

    /// <summary>The handles of a message to several groups, that of the first one first; null for a message to one
    /// group, and when rented.</summary>
    public ISendOwner[]? Owners { get; set; }

    /// <summary>True for a piece of a long message; false when rented.</summary>
    public bool IsPiece { get; set; }

    /// <inheritdoc/>
    public override ReadOnlySpan<byte> Span => Array.AsSpan(0, _length);

    /// <summary>Position in the stack's table, from 1. 0: created beyond the stack's budget, and left to the garbage
    /// collector.</summary>
    internal int Index { get; }

    /// <summary>While in the stack: index of the payload below.</summary>
    internal int Below;

    /// <summary>Returns the memory unsent. Only for the owner of the last reference. Any thread.</summary>
    public void Return() => _stack.Push(this);

    /// <inheritdoc/>
    protected override void Recycle() => _stack.Collect(this);
}
