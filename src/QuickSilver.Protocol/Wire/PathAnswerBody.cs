namespace QuickSilver.Protocol.Wire;

/// <summary>
/// Body of a <see cref="DatagramKind.PathAnswer"/>: confirms a <see cref="PathQueryBody"/>. The header's sender is the
/// node that was asked.
/// <code>
/// nonce       4 bytes  the query's
/// longest     varint   the query's
/// fillers     varint   number of fillers sent, at most 15
/// each:
///   length      varint   of the whole datagram, 52 to 65,493; shorter than the one before
/// </code>
/// </summary>
internal readonly ref struct PathAnswerBody
{
    /// <summary>Limit on the fillers that one answer names.</summary>
    public const int MaxFillers = 15;

    private readonly ReadOnlySpan<byte> _lengths;

    private PathAnswerBody(uint nonce, int longest, int fillers, ReadOnlySpan<byte> lengths)
    {
        Nonce = nonce;
        Longest = longest;
        Fillers = fillers;
        _lengths = lengths;
    }

    /// <summary>The query's nonce.</summary>
    public uint Nonce { get; }

    /// <summary>The longest datagram that the node sends the asker from now on; 0: no limit.</summary>
    public int Longest { get; }

    /// <summary>Number of fillers sent.</summary>
    public int Fillers { get; }

    /// <summary>Writes a body.</summary>
    /// <param name="writer">The destination.</param>
    /// <param name="nonce">The query's.</param>
    /// <param name="longest">The query's.</param>
    /// <param name="lengths">The lengths of the fillers that were sent, descending.</param>
    public static void Write(ref WireWriter writer, uint nonce, int longest, scoped ReadOnlySpan<int> lengths)
    {
        writer.WriteUInt32(nonce);
        writer.WriteVarint((ulong)longest);
        writer.WriteVarint((ulong)lengths.Length);
        foreach (int length in lengths) writer.WriteVarint((ulong)length);
    }

    /// <summary>Reads a body; false when it is malformed.</summary>
    public static bool TryRead(ReadOnlySpan<byte> body, out PathAnswerBody answer)
    {
        var reader = new WireReader(body);
        uint nonce = reader.ReadUInt32();
        int longest = (int)reader.ReadVarint(DatagramHeader.MaxDatagram);
        int fillers = (int)reader.ReadVarint(MaxFillers);
        ReadOnlySpan<byte> lengths = reader.Failed ? default : body[(body.Length - reader.Remaining)..];
        int before = DatagramHeader.MaxDatagram + 1;
        for (int index = 0; index < fillers && !reader.Failed; index++)
        {
            int length = (int)reader.ReadVarint(DatagramHeader.MaxDatagram);
            if (length >= before || length < PathFillerBody.ShortestDatagram) reader.Fail();
            before = length;
        }
        answer = new PathAnswerBody(nonce, longest, fillers, lengths);
        return reader.IsAtEnd;
    }

    /// <summary>Copies the fillers' lengths.</summary>
    /// <param name="lengths">Destination, of <see cref="MaxFillers"/> entries.</param>
    /// <returns>The number of lengths.</returns>
    public int CopyTo(Span<int> lengths)
    {
        var reader = new WireReader(_lengths);
        for (int index = 0; index < Fillers; index++) lengths[index] = (int)reader.ReadVarint();
        return Fillers;
    }
}
