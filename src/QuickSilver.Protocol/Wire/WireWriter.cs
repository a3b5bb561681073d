using System.Buffers.Binary;

namespace QuickSilver.Protocol.Wire;

/// <summary>
/// Writes a body from front to back into a span that the caller sized. A write past the end sets
/// <see cref="Overflowed"/> and changes nothing else: the caller checks once, then gives the rest its own datagram.
/// Allocates nothing, never throws.
/// </summary>
/// <param name="bytes">The destination.</param>
internal ref struct WireWriter(Span<byte> bytes)
{
    private readonly Span<byte> _bytes = bytes;

    /// <summary>Bytes written so far.</summary>
    public int Written { get; private set; }

    /// <summary>True once a write did not fit.</summary>
    public bool Overflowed { get; private set; }

    /// <summary>Room left.</summary>
    public readonly int Remaining => _bytes.Length - Written;

    /// <summary>Bytes that <see cref="WriteVarint"/> needs for <paramref name="value"/>.</summary>
    public static int VarintLength(ulong value) =>
        ((63 - System.Numerics.BitOperations.LeadingZeroCount(value | 1)) / 7) + 1;

    /// <summary>Returns to an earlier length, so that a record which did not fit leaves no trace.</summary>
    public void Rewind(int written)
    {
        Written = written;
        Overflowed = false;
    }

    /// <summary>One byte.</summary>
    public void WriteByte(byte value)
    {
        Span<byte> room = Reserve(1);
        if (!room.IsEmpty) room[0] = value;
    }

    /// <summary>Two bytes, little-endian.</summary>
    public void WriteUInt16(ushort value)
    {
        Span<byte> room = Reserve(2);
        if (!room.IsEmpty) BinaryPrimitives.WriteUInt16LittleEndian(room, value);
    }

    /// <summary>Four bytes, little-endian.</summary>
    public void WriteUInt32(uint value)
    {
        Span<byte> room = Reserve(4);
        if (!room.IsEmpty) BinaryPrimitives.WriteUInt32LittleEndian(room, value);
    }

    /// <summary>Eight bytes, little-endian.</summary>
    public void WriteUInt64(ulong value)
    {
        Span<byte> room = Reserve(8);
        if (!room.IsEmpty) BinaryPrimitives.WriteUInt64LittleEndian(room, value);
    }

    /// <summary>A canonical varint.</summary>
    public void WriteVarint(ulong value)
    {
        Span<byte> room = Reserve(VarintLength(value));
        if (room.IsEmpty) return;
        int index = 0;
        while (value >= 0x80)
        {
            room[index++] = (byte)(value | 0x80);
            value >>= 7;
        }
        room[index] = (byte)value;
    }

    /// <summary>A signed varint in zigzag form: small magnitudes are short.</summary>
    public void WriteSignedVarint(long value) => WriteVarint(Zigzag.Encode(value));

    /// <summary>Bytes without a length.</summary>
    public void WriteBytes(scoped ReadOnlySpan<byte> value)
    {
        if (value.IsEmpty) return;
        Span<byte> room = Reserve(value.Length);
        if (!room.IsEmpty) value.CopyTo(room);
    }

    /// <summary>
    /// Reserves the next <paramref name="count"/> bytes for the caller to fill; empty when they do not fit.
    /// </summary>
    public Span<byte> Reserve(int count)
    {
        if (Overflowed || count > _bytes.Length - Written)
        {
            Overflowed = true;
            return default;
        }
        Span<byte> room = _bytes.Slice(Written, count);
        Written += count;
        return room;
    }
}
