namespace QuickSilver.Protocol.Wire;

/// <summary>
/// Body of an <see cref="DatagramKind.OrderedWord"/>: a word about the token of a ring. The header's sequence is the
/// key of the node that it goes to.
/// <code>
/// ring        RingId
/// hop         varint   the hop of a token that has arrived; 0: the token is wanted
/// </code>
/// </summary>
/// <param name="Ring">The ring.</param>
/// <param name="Hop">The hop of the token that has arrived; 0: the token is wanted.</param>
internal readonly record struct OrderedWordBody(RingId Ring, ulong Hop)
{
    /// <summary>The longest body.</summary>
    public const int MaxLength = RingId.MaxLength + 10;

    /// <summary>Writes the body.</summary>
    public void WriteTo(ref WireWriter writer)
    {
        Ring.WriteTo(ref writer);
        writer.WriteVarint(Hop);
    }

    /// <summary>Reads a body; false when it is malformed.</summary>
    public static bool TryRead(ReadOnlySpan<byte> body, out OrderedWordBody word)
    {
        var reader = new WireReader(body);
        word = new OrderedWordBody(RingId.Read(ref reader), reader.ReadVarint());
        return reader.IsAtEnd;
    }
}
