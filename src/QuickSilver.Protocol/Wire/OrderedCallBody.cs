namespace QuickSilver.Protocol.Wire;

/// <summary>
/// Body of an <see cref="DatagramKind.OrderedCall"/>: a member of a ring asks another whether it hears it, or says so.
/// The header's sequence is the key of the node that it goes to.
/// <code>
/// flags       1 byte   bit 0: answer, and nothing follows
/// suspects    varint   members that hold the asker up, at most 8; the asked one calls them, too
/// keys        8 bytes  of each
/// </code>
/// </summary>
internal readonly ref struct OrderedCallBody
{
    /// <summary>Limit on the suspects.</summary>
    public const int MaxSuspects = 8;

    /// <summary>The longest body.</summary>
    public const int MaxLength = 1 + 1 + (MaxSuspects * KeyLength);

    private const int KeyLength = 8;
    private const byte AnswerBit = 1;

    private readonly ReadOnlySpan<byte> _keys;

    private OrderedCallBody(bool isAnswer, ReadOnlySpan<byte> keys)
    {
        IsAnswer = isAnswer;
        _keys = keys;
    }

    /// <summary>True for an answer.</summary>
    public bool IsAnswer { get; }

    /// <summary>Members that hold the asker up.</summary>
    public int Suspects => _keys.Length / KeyLength;

    /// <summary>Key of a member that holds the asker up.</summary>
    public ulong this[int index] => new WireReader(_keys[(index * KeyLength)..]).ReadUInt64();

    /// <summary>Writes a question.</summary>
    public static void WriteCall(ref WireWriter writer, scoped ReadOnlySpan<ulong> suspects)
    {
        writer.WriteByte(0);
        writer.WriteVarint((ulong)suspects.Length);
        foreach (ulong key in suspects) writer.WriteUInt64(key);
    }

    /// <summary>Writes an answer.</summary>
    public static void WriteAnswer(ref WireWriter writer) => writer.WriteByte(AnswerBit);

    /// <summary>Reads a body; false when it is malformed.</summary>
    public static bool TryRead(ReadOnlySpan<byte> body, out OrderedCallBody call)
    {
        var reader = new WireReader(body);
        byte flags = reader.ReadByte();
        bool isAnswer = flags == AnswerBit;
        int suspects = isAnswer ? 0 : (int)reader.ReadVarint(MaxSuspects);
        ReadOnlySpan<byte> keys = reader.ReadBytes(suspects * KeyLength);
        call = new OrderedCallBody(isAnswer, keys);
        return reader.IsAtEnd && flags <= AnswerBit;
    }
}
