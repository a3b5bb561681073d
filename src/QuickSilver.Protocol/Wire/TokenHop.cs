namespace QuickSilver.Protocol.Wire;

/// <summary>
/// The fields before the token's bytes in each of the up to twelve datagrams of one hop, and alone in the hop's
/// acknowledgement. They distinguish hops, rounds and leaders: a datagram of one hop is never joined with one of
/// another, and a hop that arrives twice has no effect.
/// <code>
/// epoch       varint   rises with each takeover within the view
/// leader      varint   index of the member that started the round
/// round       varint   counts the leader's rounds
/// hop         varint   counts hops within the round
/// from        varint   index of the member that sends
/// to          varint   index of the member addressed
/// part        1 byte   index of the datagram in the hop, from 0
/// parts       1 byte   number of datagrams, 1 to 12
/// skipped     varint   members skipped so far, at most the view's
/// index*      varint   ascending
/// </code>
/// </summary>
/// <param name="Epoch">Rises with each takeover within the view.</param>
/// <param name="Leader">Member that started the round.</param>
/// <param name="Round">Counts the leader's rounds.</param>
/// <param name="Hop">Counts hops within the round.</param>
/// <param name="From">Member that sends.</param>
/// <param name="To">Member addressed.</param>
/// <param name="Part">Index of the datagram in the hop.</param>
/// <param name="Parts">Number of datagrams in the hop.</param>
internal readonly record struct TokenHop(
    uint Epoch, int Leader, ulong Round, uint Hop, int From, int To, byte Part, byte Parts)
{
    /// <summary>Limit on the datagrams of one hop.</summary>
    public const int MaxParts = 12;

    private const int MaxFixedLength = (10 * 4) + (5 * 2) + 2 + 5;

    /// <summary>True when both are datagrams of the same hop.</summary>
    public bool IsSameHop(in TokenHop other) =>
        Epoch == other.Epoch && Leader == other.Leader && Round == other.Round && Hop == other.Hop
        && From == other.From && To == other.To && Parts == other.Parts;

    /// <summary>The longest form with a list of skipped members: the bytes to keep free before the token's.</summary>
    public static int MaxLength(List<int> skipped)
    {
        int length = MaxFixedLength;
        foreach (int index in skipped) length += WireWriter.VarintLength((ulong)index);
        return length;
    }

    /// <summary>Writes the fields, then the list of skipped members.</summary>
    public void WriteTo(ref WireWriter writer, scoped ReadOnlySpan<int> skipped)
    {
        writer.WriteVarint(Epoch);
        writer.WriteVarint((ulong)Leader);
        writer.WriteVarint(Round);
        writer.WriteVarint(Hop);
        writer.WriteVarint((ulong)From);
        writer.WriteVarint((ulong)To);
        writer.WriteByte(Part);
        writer.WriteByte(Parts);
        writer.WriteVarint((ulong)skipped.Length);
        foreach (int index in skipped) writer.WriteVarint((ulong)index);
    }

    /// <summary>Reads the fields and the list of skipped members; a bad one fails the reader.</summary>
    /// <param name="reader">The body.</param>
    /// <param name="members">Members of the view: bounds every index.</param>
    /// <param name="skipped">Filled with the members skipped; cleared first.</param>
    public static TokenHop Read(ref WireReader reader, int members, List<int> skipped)
    {
        skipped.Clear();
        ulong last = (ulong)(members - 1);
        uint epoch = (uint)reader.ReadVarint(uint.MaxValue);
        int leader = (int)reader.ReadVarint(last);
        ulong round = reader.ReadVarint();
        uint number = (uint)reader.ReadVarint(uint.MaxValue);
        int from = (int)reader.ReadVarint(last);
        int to = (int)reader.ReadVarint(last);
        byte part = reader.ReadByte();
        byte parts = reader.ReadByte();
        int count = (int)reader.ReadVarint((ulong)members);
        int previous = -1;
        for (int index = 0; index < count && !reader.Failed; index++)
        {
            int member = (int)reader.ReadVarint(last);
            if (member <= previous) reader.Fail();
            previous = member;
            skipped.Add(member);
        }
        if (parts is 0 or > MaxParts || part >= parts || from == to) reader.Fail();
        return new TokenHop(epoch, leader, round, number, from, to, part, parts);
    }
}
