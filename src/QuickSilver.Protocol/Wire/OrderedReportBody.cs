namespace QuickSilver.Protocol.Wire;

/// <summary>
/// Body of an <see cref="DatagramKind.OrderedReport"/>: what a member of a ring that has ended holds of it.
/// <code>
/// ring        RingId   the ring that has ended
/// next        RingId   the newest ring that the member knows
/// flags       1 byte   bit 0: complete, holds all that anybody reports; bit 1: concluded, has delivered it;
///                      bit 2: absent, was never in the ring, and nothing follows
/// up to       varint   holds all packets up to this
/// stable      varint   knows that all of the ring hold the packets up to this; if concluded, what those that went on
///                      together know; at most up to
/// further     varint   bits of the map, at most 2,048
/// map         bytes    bit n, the lowest first: holds the packet n + 1 after them; unused bits are 0
/// members     varint   if concluded: members of the ring, at most 1,024; then a map of those that went on together
/// </code>
/// </summary>
internal readonly ref struct OrderedReportBody
{
    /// <summary>Limit on the bits of the map.</summary>
    public const int MaxFurther = 2048;

    /// <summary>Limit on the members of a ring.</summary>
    public const int MaxMembers = 1024;

    /// <summary>The longest body.</summary>
    public const int MaxLength = (2 * RingId.MaxLength) + 1 + (2 * 10) + 2 + (MaxFurther / 8) + 2 + (MaxMembers / 8);

    private const byte CompleteBit = 1;
    private const byte ConcludedBit = 2;
    private const byte AbsentBit = 4;

    /// <summary>The ring that has ended.</summary>
    public RingId Ring { get; init; }

    /// <summary>The newest ring that the member knows.</summary>
    public RingId Next { get; init; }

    /// <summary>True when the member holds all that anybody reports.</summary>
    public bool IsComplete { get; init; }

    /// <summary>True when the member has delivered it.</summary>
    public bool IsConcluded { get; init; }

    /// <summary>True when the member was never in the ring.</summary>
    public bool IsAbsent { get; init; }

    /// <summary>The member holds all packets up to this.</summary>
    public ulong UpTo { get; init; }

    /// <summary>All members of the ring hold the packets up to this, as the member knows, or, once it has concluded the
    /// ring, as one of those knows that went on together.</summary>
    public ulong Stable { get; init; }

    /// <summary>Bits of the map.</summary>
    public int Further { get; init; }

    /// <summary>Which of the packets after <see cref="UpTo"/> the member holds.</summary>
    public ReadOnlySpan<byte> Map { get; init; }

    /// <summary>Members of the ring, as a member that has concluded it says.</summary>
    public int Members { get; init; }

    /// <summary>Which members, in the order of their keys, went on together.</summary>
    public ReadOnlySpan<byte> Survivors { get; init; }

    /// <summary>Writes the body.</summary>
    public void WriteTo(scoped ref WireWriter writer)
    {
        Ring.WriteTo(ref writer);
        Next.WriteTo(ref writer);
        int flags = (IsComplete ? CompleteBit : 0) | (IsConcluded ? ConcludedBit : 0) | (IsAbsent ? AbsentBit : 0);
        writer.WriteByte((byte)flags);
        if (IsAbsent) return;
        writer.WriteVarint(UpTo);
        writer.WriteVarint(Stable);
        writer.WriteVarint((ulong)Further);
        writer.WriteBytes(Map);
        if (!IsConcluded) return;
        writer.WriteVarint((ulong)Members);
        writer.WriteBytes(Survivors);
    }

    /// <summary>Reads a body; false when it is malformed.</summary>
    public static bool TryRead(ReadOnlySpan<byte> body, out OrderedReportBody report)
    {
        var reader = new WireReader(body);
        RingId ring = RingId.Read(ref reader);
        RingId next = RingId.Read(ref reader);
        byte flags = reader.ReadByte();
        bool isAbsent = (flags & AbsentBit) != 0;
        bool isConcluded = (flags & ConcludedBit) != 0;
        ulong upTo = isAbsent ? 0 : reader.ReadVarint(long.MaxValue);
        ulong stable = isAbsent ? 0 : reader.ReadVarint(long.MaxValue);
        int further = isAbsent ? 0 : (int)reader.ReadVarint(MaxFurther);
        ReadOnlySpan<byte> map = reader.ReadBytes((further + 7) / 8);
        int members = isConcluded ? (int)reader.ReadVarint(MaxMembers) : 0;
        ReadOnlySpan<byte> survivors = reader.ReadBytes((members + 7) / 8);
        report = new OrderedReportBody
        {
            Ring = ring,
            Next = next,
            IsComplete = (flags & CompleteBit) != 0,
            IsConcluded = isConcluded,
            IsAbsent = isAbsent,
            UpTo = upTo,
            Stable = stable,
            Further = further,
            Map = map,
            Members = members,
            Survivors = survivors,
        };
        bool areUnusedClear = further % 8 == 0 || reader.Failed || map[^1] >> (further % 8) == 0;
        return reader.IsAtEnd && areUnusedClear && ring < next && stable <= upTo
            && flags is 0 or CompleteBit or (CompleteBit | ConcludedBit) or AbsentBit;
    }
}
