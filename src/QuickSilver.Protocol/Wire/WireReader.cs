using System.Buffers.Binary;
using System.Numerics;

namespace QuickSilver.Protocol.Wire;

/// <summary>
/// Reads a body from front to back. Total: a read past the end, or a varint that is too long or not the shortest form,
/// sets <see cref="Failed"/> permanently. Reads then return zeros; the caller checks once, at the end. Allocates
/// nothing, never throws.
/// </summary>
/// <param name="bytes">The body.</param>
internal ref struct WireReader(ReadOnlySpan<byte> bytes)
{
    private const ulong EndBits = 0x8080_8080_8080_8080;

    private ReadOnlySpan<byte> _rest = bytes;

    /// <summary>True once a read has failed.</summary>
    public bool Failed { get; private set; }

    /// <summary>Bytes not yet read.</summary>
    public readonly int Remaining => _rest.Length;

    /// <summary>True when everything was read and nothing failed, as strict formats require at their end.</summary>
    public readonly bool IsAtEnd => !Failed && _rest.IsEmpty;

    /// <summary>Marks the input as bad, for rules that the reader itself does not know.</summary>
    public void Fail()
    {
        Failed = true;
        _rest = default;
    }

    /// <summary>One byte.</summary>
    public byte ReadByte()
    {
        if (_rest.IsEmpty)
        {
            Fail();
            return 0;
        }
        byte value = _rest[0];
        _rest = _rest[1..];
        return value;
    }

    /// <summary>Two bytes, little-endian.</summary>
    public ushort ReadUInt16()
    {
        ReadOnlySpan<byte> bytes = ReadBytes(2);
        return bytes.IsEmpty ? (ushort)0 : BinaryPrimitives.ReadUInt16LittleEndian(bytes);
    }

    /// <summary>Four bytes, little-endian.</summary>
    public uint ReadUInt32()
    {
        ReadOnlySpan<byte> bytes = ReadBytes(4);
        return bytes.IsEmpty ? 0 : BinaryPrimitives.ReadUInt32LittleEndian(bytes);
    }

    /// <summary>Eight bytes, little-endian.</summary>
    public ulong ReadUInt64()
    {
        ReadOnlySpan<byte> bytes = ReadBytes(8);
        return bytes.IsEmpty ? 0 : BinaryPrimitives.ReadUInt64LittleEndian(bytes);
    }

    /// <summary>A canonical varint: seven bits a byte, low first, at most ten bytes, no padding.</summary>
    public ulong ReadVarint()
    {
        if (!_rest.IsEmpty && _rest[0] < 0x80)
        {
            ulong value = _rest[0];
            _rest = _rest[1..];
            return value;
        }
        return ReadLongVarint();
    }

    // Eight bytes at once, without a branch for each: lengths differ from field to field, and a mispredicted branch
    // costs more than all of this.
    private ulong ReadLongVarint()
    {
        if (_rest.Length < sizeof(ulong)) return ReadVarintByBytes();
        ulong bytes = BinaryPrimitives.ReadUInt64LittleEndian(_rest);
        ulong ends = ~bytes & EndBits;
        if (ends == 0) return ReadVarintByBytes();
        int bits = BitOperations.TrailingZeroCount(ends) + 1;
        bytes &= ulong.MaxValue >> (64 - bits);
        if (bits > 8 && bytes >> (bits - 8) == 0)
        {
            Fail();
            return 0;
        }
        _rest = _rest[(bits >> 3)..];
        bytes &= ~EndBits;
        bytes = (bytes & 0x007F_007F_007F_007F) | ((bytes & 0x7F00_7F00_7F00_7F00) >> 1);
        bytes = (bytes & 0x0000_3FFF_0000_3FFF) | ((bytes & 0x3FFF_0000_3FFF_0000) >> 2);
        return (bytes & 0x0FFF_FFFF) | ((bytes & 0x0FFF_FFFF_0000_0000) >> 4);
    }

    /// <summary>A varint that must not exceed <paramref name="cap"/>.</summary>
    public ulong ReadVarint(ulong cap)
    {
        ulong value = ReadVarint();
        if (value <= cap) return value;
        Fail();
        return 0;
    }

    /// <summary>A signed varint in zigzag form.</summary>
    public long ReadSignedVarint() => Zigzag.Decode(ReadVarint());

    /// <summary>
    /// The next <paramref name="count"/> bytes; empty when there are fewer, which is a failure unless the count is 0.
    /// </summary>
    public ReadOnlySpan<byte> ReadBytes(int count)
    {
        if ((uint)count > (uint)_rest.Length)
        {
            Fail();
            return default;
        }
        ReadOnlySpan<byte> bytes = _rest[..count];
        _rest = _rest[count..];
        return bytes;
    }

    // Near the end of the body, and for the few varints longer than eight bytes.
    private ulong ReadVarintByBytes()
    {
        ulong value = 0;
        for (int index = 0; index < _rest.Length && index < 10; index++)
        {
            byte part = _rest[index];
            if (index == 9 && part > 1) break;
            value |= (ulong)(part & 0x7F) << (7 * index);
            if (part >= 0x80) continue;
            if (part == 0 && index > 0) break;
            _rest = _rest[(index + 1)..];
            return value;
        }
        Fail();
        return 0;
    }
}
