namespace QuickSilver.Protocol.Wire;

/// <summary>
/// Body of an <see cref="DatagramKind.Ack"/>: a region leader's feedback to one sender at the end of a token round.
/// <code>
/// stable      varint  every live member holds all packets up to here
/// highest     varint  highest sequence any member has seen
/// read        varint  how far the slowest member that answers has read the stream, plus 1; 0: unknown
/// streams     varint  streams active in the region in the last two rounds; at least 1
/// drops       varint  datagrams that members' kernels dropped since the round before
/// behind      LagList members that hold the region up
/// </code>
/// The list is a format of its own, <see cref="LagList"/>: the same for all senders to the region.
/// </summary>
/// <param name="Stable">Every live member holds all packets up to here.</param>
/// <param name="Highest">Highest sequence any member has seen.</param>
/// <param name="ReadPosition">How far the slowest member has read, lost packets or not; null: unknown.</param>
/// <param name="ActiveStreams">Streams that share the members' receive buffers.</param>
/// <param name="Drops">Datagrams dropped by members' kernels since the round before.</param>
internal readonly record struct AckBody(
    ulong Stable, ulong Highest, ulong? ReadPosition, int ActiveStreams, ulong Drops)
{
    /// <summary>The longest body.</summary>
    public const int MaxLength = (10 * 5) + LagList.MaxLength;

    /// <summary>True when it names a packet from this sequence on, as seen or as read.</summary>
    public bool Names(ulong sequence) => Highest >= sequence || ReadPosition >= sequence;

    /// <summary>The same feedback as far as it is about packets up to a sequence.</summary>
    public AckBody CutAt(ulong sequence) => this with
    {
        Highest = Math.Min(Highest, sequence),
        ReadPosition = ReadPosition is { } position ? Math.Min(position, sequence) : null,
    };

    /// <summary>Writes the body.</summary>
    /// <param name="writer">The destination.</param>
    /// <param name="behind">Members that hold the region up; null: none.</param>
    public void WriteTo(ref WireWriter writer, LagList? behind = null)
    {
        writer.WriteVarint(Stable);
        writer.WriteVarint(Highest);
        writer.WriteVarint(ReadPosition is { } readPosition ? readPosition + 1 : 0);
        writer.WriteVarint((ulong)ActiveStreams);
        writer.WriteVarint(Drops);
        if (behind is null) writer.WriteVarint(0);
        else behind.WriteTo(ref writer);
    }

    /// <summary>Reads a body; false when it is malformed.</summary>
    /// <param name="body">The body.</param>
    /// <param name="members">Members of the view.</param>
    /// <param name="behind">Filled with the members that hold the region up.</param>
    /// <param name="ack">The other fields.</param>
    public static bool TryRead(ReadOnlySpan<byte> body, int members, LagList behind, out AckBody ack)
    {
        var reader = new WireReader(body);
        ulong stable = reader.ReadVarint();
        ulong highest = reader.ReadVarint();
        ulong readPosition = reader.ReadVarint();
        int streams = (int)reader.ReadVarint(1 << 20);
        ulong drops = reader.ReadVarint();
        behind.ReadFrom(ref reader, members);
        ack = new AckBody(stable, highest, readPosition == 0 ? null : readPosition - 1, streams, drops);
        return reader.IsAtEnd && streams > 0 && stable <= highest;
    }
}
