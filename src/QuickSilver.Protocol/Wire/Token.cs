namespace QuickSilver.Protocol.Wire;

/// <summary>
/// The token of one region view: its position on its walk, the members found behind, and a record for each stream.
/// Reused: reading and writing allocate nothing once the lists have grown.
/// <code>
/// phase       1 byte   TokenPhase
/// partition   varint   the partition being walked
/// lead        varint   member at which the walk of this partition began, and to which it returns
/// complete    1 byte   1: no live member was skipped so far
/// removed     varint   members that are removed from the cluster, at most the view's
/// index*      varint   ascending
/// told        LagList  members that were behind in the round before
/// behind      LagList  members that are behind, of those visited so far
/// streams     2 bytes  records that follow, at most 4096
/// stream*     TokenStream
/// </code>
/// Leader, epoch, round, hop and the list of skipped members are in <see cref="TokenHop"/>, with each datagram of the
/// token.
/// </summary>
internal sealed class Token
{
    /// <summary>Limit on the streams in a token.</summary>
    public const int MaxStreams = 4096;

    private readonly List<TokenStream> _records = [];

    // Scratch record for the first pass, while it is not known yet whether the token is well-formed to its end.
    private readonly TokenStream _scratch = new();

    /// <summary>The token's position on its walk.</summary>
    public TokenPhase Phase { get; set; }

    /// <summary>The partition being walked.</summary>
    public int Partition { get; set; }

    /// <summary>Member at which the walk of this partition began.</summary>
    public int PartitionLead { get; set; }

    /// <summary>True while no live member has been skipped.</summary>
    public bool Complete { get; set; }

    /// <summary>
    /// Members that are removed from the cluster, as far as the leader and the visited members know; ascending. A
    /// visited member treats them as removed from that instant.
    /// </summary>
    public List<int> Removed { get; } = [];

    /// <summary>Members that were behind in the round before, as the leader found at its end.</summary>
    public LagList Told { get; } = new();

    /// <summary>Members that report themselves behind, of those visited so far.</summary>
    public LagList Behind { get; } = new();

    /// <summary>Number of streams.</summary>
    public int StreamCount { get; private set; }

    /// <summary>A stream's record by its index in the token.</summary>
    public TokenStream this[int index] => _records[index];

    /// <summary>Empties the token.</summary>
    public void Clear()
    {
        StreamCount = 0;
        Phase = TokenPhase.Walk;
        Partition = 0;
        PartitionLead = 0;
        Complete = true;
        Removed.Clear();
        Told.Clear();
        Behind.Clear();
    }

    /// <summary>Adds a removed member.</summary>
    public void AddRemoved(int member)
    {
        int index = Removed.BinarySearch(member);
        if (index < 0) Removed.Insert(~index, member);
    }

    /// <summary>Adds a record for a stream.</summary>
    public TokenStream Add(ulong sender, int partitions)
    {
        if (StreamCount == _records.Count) _records.Add(new TokenStream());
        TokenStream record = _records[StreamCount++];
        record.Reset(sender, partitions);
        return record;
    }

    /// <summary>
    /// Writes the token. Records get their details while they fit, beginning with record <paramref name="rotation"/>
    /// modulo the count, so that each gets its turn in time. A record that does not fit even without details is left
    /// out, and its stream is not judged in this round.
    /// </summary>
    /// <param name="writer">Sized to the capacity of one hop.</param>
    /// <param name="rotation">Rises from round to round.</param>
    /// <returns>False when some record was left out.</returns>
    public bool WriteTo(ref WireWriter writer, ulong rotation)
    {
        writer.WriteByte((byte)Phase);
        writer.WriteVarint((ulong)Partition);
        writer.WriteVarint((ulong)PartitionLead);
        writer.WriteByte(Complete ? (byte)1 : (byte)0);
        writer.WriteVarint((ulong)Removed.Count);
        foreach (int member in Removed) writer.WriteVarint((ulong)member);
        Told.WriteTo(ref writer);
        Behind.WriteTo(ref writer);
        Span<byte> countRoom = writer.Reserve(2);
        if (countRoom.IsEmpty) return false;
        int written = 0;
        int first = StreamCount == 0 ? 0 : (int)(rotation % (ulong)StreamCount);
        for (int step = 0; step < StreamCount; step++)
        {
            TokenStream record = _records[(first + step) % StreamCount];
            int before = writer.Written;
            record.WriteTo(ref writer);
            if (writer.Overflowed && record.HasDetail)
            {
                writer.Rewind(before);
                record.HasDetail = false;
                record.WriteTo(ref writer);
            }
            if (writer.Overflowed)
            {
                writer.Rewind(before);
                break;
            }
            written++;
        }
        // Two bytes, little-endian: the count is known only now, and the length of a varint would depend on it.
        countRoom[0] = (byte)written;
        countRoom[1] = (byte)(written >> 8);
        return written == StreamCount;
    }

    /// <summary>
    /// Reads a token over this one; false when it is malformed, and then the contents are meaningless.
    /// </summary>
    public bool TryRead(ReadOnlySpan<byte> body, int members, int partitions)
    {
        Clear();
        var reader = new WireReader(body);
        byte phase = reader.ReadByte();
        if (phase > (byte)TokenPhase.Done) return false;
        Phase = (TokenPhase)phase;
        Partition = (int)reader.ReadVarint((ulong)(partitions - 1));
        PartitionLead = (int)reader.ReadVarint((ulong)(members - 1));
        byte complete = reader.ReadByte();
        if (complete > 1) return false;
        Complete = complete == 1;
        int removed = (int)reader.ReadVarint((ulong)members);
        for (int index = 0; index < removed && !reader.Failed; index++)
        {
            int member = (int)reader.ReadVarint((ulong)(members - 1));
            if (Removed.Count > 0 && member <= Removed[^1]) reader.Fail();
            else Removed.Add(member);
        }
        Told.ReadFrom(ref reader, members);
        Behind.ReadFrom(ref reader, members);
        int count = reader.ReadByte() | (reader.ReadByte() << 8);
        if (reader.Failed || count > MaxStreams) return false;
        if (!IsWhole(reader, count, members, partitions)) return false;
        for (int index = 0; index < count; index++)
        {
            if (StreamCount == _records.Count) _records.Add(new TokenStream());
            _records[StreamCount++].ReadFrom(ref reader, members, partitions);
        }
        return true;
    }

    // A record takes 15 bytes of a token and many times that in memory: a malformed token makes none.
    private bool IsWhole(WireReader reader, int count, int members, int partitions)
    {
        for (int index = 0; index < count && !reader.Failed; index++)
        {
            if (reader.Remaining < TokenStream.MinLength) return false;
            _scratch.ReadFrom(ref reader, members, partitions);
        }
        return reader.IsAtEnd;
    }
}
