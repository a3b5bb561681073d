using System.Buffers.Binary;

namespace QuickSilver.Protocol.Wire;

/// <summary>
/// What the head of the next record says if it continues a run, to be compared with what stands there: two words at a time, since a packet has
/// hundreds of small messages and each is compared twice. Advancing adds one to the message number's lowest byte; the carry, once in 128 messages,
/// goes the long way.
/// </summary>
internal ref struct ExpectedHead
{
    /// <summary>Bytes that the constructor needs.</summary>
    public const int MostBytes = PacketRecord.MaxOverhead;

    private const int Words = 2 * sizeof(ulong);

    private readonly Span<byte> _bytes;
    private readonly Span<byte> _number;
    private readonly int _shift;
    private readonly bool _isShort;
    private ulong _low;
    private ulong _high;
    private readonly ulong _lowMask;
    private readonly ulong _highMask;

    /// <summary>The head of a whole message that is not the first of its group.</summary>
    /// <param name="room">Where it may be written: <see cref="MostBytes"/> zeros.</param>
    /// <param name="group">Index of the group.</param>
    /// <param name="number">Message number.</param>
    /// <param name="length">Length of the message.</param>
    public ExpectedHead(Span<byte> room, int group, ulong number, int length)
    {
        var writer = new WireWriter(room);
        PacketRecord.WriteHead(ref writer, default, group, number, first: false, default, length, 0, length);
        _bytes = room[..writer.Written];
        int numberAt = 1 + WireWriter.VarintLength((ulong)group);
        _number = room.Slice(numberAt, WireWriter.VarintLength(number));
        _shift = numberAt * 8;
        _isShort = Length <= Words;
        _lowMask = Mask(Length);
        _highMask = Mask(Length - sizeof(ulong));
        Load(room);
    }

    /// <summary>Its length.</summary>
    public readonly int Length => _bytes.Length;

    /// <summary>True when these bytes begin with it.</summary>
    public readonly bool IsAt(scoped ReadOnlySpan<byte> bytes)
    {
        if (!_isShort || bytes.Length < Words) return bytes.StartsWith(_bytes);
        ulong low = BinaryPrimitives.ReadUInt64LittleEndian(bytes);
        ulong high = BinaryPrimitives.ReadUInt64LittleEndian(bytes[sizeof(ulong)..]);
        return (((low ^ _low) & _lowMask) | ((high ^ _high) & _highMask)) == 0;
    }

    /// <summary>Goes on to the next number; false when that would need a byte more: then this is of no use.</summary>
    public bool TryAdvance()
    {
        if ((_number[0] & 0x7F) != 0x7F)
        {
            _number[0]++;
            _low += 1UL << _shift;
            return true;
        }
        bool fits = WireWriter.TryIncrement(_number);
        Load(_bytes);
        return fits;
    }

    private static ulong Mask(int bytes) => bytes >= sizeof(ulong) ? ulong.MaxValue : (1UL << (8 * Math.Max(bytes, 0))) - 1;

    private void Load(ReadOnlySpan<byte> bytes)
    {
        Span<byte> words = stackalloc byte[Words];
        words.Clear();
        bytes[..Math.Min(bytes.Length, Words)].CopyTo(words);
        _low = BinaryPrimitives.ReadUInt64LittleEndian(words);
        _high = BinaryPrimitives.ReadUInt64LittleEndian(words[sizeof(ulong)..]);
    }
}
