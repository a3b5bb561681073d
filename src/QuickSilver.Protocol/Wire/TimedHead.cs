namespace QuickSilver.Protocol.Wire;

/// <summary>
/// What the body of a <see cref="DatagramKind.TimedData"/> or <see cref="DatagramKind.TimedRepair"/> says of its
/// packet; the message's bytes follow. The sequence is the header's.
/// <code>
/// flags       1 byte   bit 0: fragment; bit 1: keyed; bits 2-3: importance
/// group       varint   counter of the group's id
/// number      varint   message number, from 1, per (sender, group)
/// place       TimedPlace
/// [fragment]  varint   index of the packet in its message; then varint: packets of the message, 2 to 1,024
/// before      2 bytes  what the eight packets before were worth, the nearest in the lowest bits: 0 normal, 1 low,
///                      2 high, 3 keyed and not high
/// age         varint   time since the message was taken, in units of 0.1 ms
/// life        varint   time to live, in units of 0.1 ms, at least 1
/// [key]       8 bytes  the message's key, then the messages that it replaces: 1 byte count, at most 4, then for
///                      each: packets between, packets of the message, messages down to it (varints)
/// bytes
/// </code>
/// </summary>
internal struct TimedHead
{
    /// <summary>Limit on the packets of one message.</summary>
    public const int MaxFragments = 1024;

    /// <summary>The longest head.</summary>
    public const int MaxLength = 1 + 5 + 10 + TimedPlace.MaxLength + 4 + 2 + 10 + (8 + 1 + (TimedReplaced.Max * 22));

    /// <summary>Ticks in one unit of time.</summary>
    public const long TicksPerUnit = 1000;

    /// <summary>The longest life and age, in units: an hour.</summary>
    public const ulong MaxUnits = 36_000_000;

    private const byte FragmentBit = 1;
    private const byte KeyedBit = 2;
    private const int ImportanceShift = 2;
    private const byte UsedBits = 15;

    /// <summary>Counter of the group's id.</summary>
    public uint Group;

    /// <summary>Message number.</summary>
    public ulong Number;

    /// <summary>Where the packets of the message's step begin.</summary>
    public TimedPlace Place;

    /// <summary>Index of the packet in its message.</summary>
    public int Index;

    /// <summary>Packets of the message.</summary>
    public int Count;

    /// <summary>What the packets before were worth; see <see cref="PacketWorth"/>.</summary>
    public ushort Before;

    /// <summary>The message's importance: one of <see cref="Wire.Importance"/>.</summary>
    public byte Importance;

    /// <summary>Time since the message was taken, when the datagram was made.</summary>
    public TimeSpan Age;

    /// <summary>How long the message is worth anything.</summary>
    public TimeSpan Life;

    /// <summary>True when the message has a key.</summary>
    public bool IsKeyed;

    /// <summary>The message's key.</summary>
    public ulong Key;

    /// <summary>The messages that this one replaces.</summary>
    public TimedReplaced Replaced;

    /// <summary>Rounds a time to whole units: at least one, at most an hour.</summary>
    public static TimeSpan Round(TimeSpan time) =>
        new(Math.Clamp(time.Ticks / TicksPerUnit, 1, (long)MaxUnits) * TicksPerUnit);

    /// <summary>Writes the head.</summary>
    public readonly void WriteTo(ref WireWriter writer, Epoch epoch, ulong sequence)
    {
        bool isFragment = Count > 1;
        int flags = (isFragment ? FragmentBit : 0) | (IsKeyed ? KeyedBit : 0) | (Importance << ImportanceShift);
        writer.WriteByte((byte)flags);
        writer.WriteVarint(Group);
        writer.WriteVarint(Number);
        Place.WriteTo(ref writer, epoch, sequence, Number);
        if (isFragment)
        {
            writer.WriteVarint((ulong)Index);
            writer.WriteVarint((ulong)Count);
        }
        writer.WriteUInt16(Before);
        writer.WriteVarint((ulong)Math.Clamp(Age.Ticks / TicksPerUnit, 0, (long)MaxUnits));
        writer.WriteVarint((ulong)(Life.Ticks / TicksPerUnit));
        if (!IsKeyed) return;
        writer.WriteUInt64(Key);
        Replaced.WriteTo(ref writer, sequence - (ulong)Index, Number);
    }

    /// <summary>Reads a head from a body; false when it is malformed. Allocates nothing, never throws.</summary>
    /// <param name="body">The body.</param>
    /// <param name="epoch">Epoch of the view.</param>
    /// <param name="sequence">The header's sequence.</param>
    /// <param name="head">The head.</param>
    /// <param name="length">Its length: the message's bytes follow.</param>
    public static bool TryRead(
        ReadOnlySpan<byte> body, Epoch epoch, ulong sequence, out TimedHead head, out int length)
    {
        var reader = new WireReader(body);
        head = default;
        byte flags = reader.ReadByte();
        int importance = flags >> ImportanceShift;
        if (flags > UsedBits || importance > Wire.Importance.High) reader.Fail();
        head.Importance = (byte)importance;
        head.IsKeyed = (flags & KeyedBit) != 0;
        head.Group = (uint)reader.ReadVarint(uint.MaxValue);
        head.Number = reader.ReadVarint();
        head.Place = TimedPlace.Read(ref reader, epoch, sequence, head.Number);
        head.Count = 1;
        if ((flags & FragmentBit) != 0)
        {
            head.Index = (int)reader.ReadVarint(MaxFragments - 1);
            head.Count = (int)reader.ReadVarint(MaxFragments);
            if (head.Count < 2 || head.Index >= head.Count || (ulong)head.Index >= sequence) reader.Fail();
        }
        head.Before = reader.ReadUInt16();
        head.Age = new TimeSpan((long)reader.ReadVarint(MaxUnits) * TicksPerUnit);
        head.Life = new TimeSpan((long)reader.ReadVarint(MaxUnits) * TicksPerUnit);
        if (head.IsKeyed)
        {
            head.Key = reader.ReadUInt64();
            head.Replaced = TimedReplaced.Read(ref reader, sequence - (ulong)head.Index, head.Number);
        }
        length = body.Length - reader.Remaining;
        bool isFirstInPlace = sequence - head.Place.First >= (ulong)head.Index;
        return !reader.Failed && head.Group > 0 && head.Life > TimeSpan.Zero && isFirstInPlace;
    }
}
