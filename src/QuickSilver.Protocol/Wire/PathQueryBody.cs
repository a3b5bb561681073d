namespace QuickSilver.Protocol.Wire;

/// <summary>
/// Body of a <see cref="DatagramKind.PathQuery"/>: a member informs a node how long the node's datagrams to it may be.
/// The header's sender is the member; its sequence is the key of the node addressed.
/// <code>
/// nonce       4 bytes  returned in the answer and in the fillers
/// longest     varint   the longest datagram that arrives, at most 65,493; 0: all arrive
/// wants       1 byte   0: the answer alone; 1: fillers of several lengths, too; 2: as 1, and none has arrived for a
/// while
/// </code>
/// </summary>
/// <param name="Nonce">Identifies the query.</param>
/// <param name="Longest">The longest datagram that arrives; 0: all arrive, as far as the member knows.</param>
/// <param name="WantsFillers">True when the node should send fillers.</param>
/// <param name="IsBlocked">True when none of its fillers has arrived for a while; then they are wanted.</param>
internal readonly record struct PathQueryBody(uint Nonce, int Longest, bool WantsFillers, bool IsBlocked = false)
{
    private const byte Fillers = 1;
    private const byte FillersInVain = 2;

    /// <summary>Writes the body.</summary>
    public void WriteTo(ref WireWriter writer)
    {
        writer.WriteUInt32(Nonce);
        writer.WriteVarint((ulong)Longest);
        writer.WriteByte(IsBlocked ? FillersInVain : WantsFillers ? Fillers : (byte)0);
    }

    /// <summary>Reads a body; false when it is malformed.</summary>
    public static bool TryRead(ReadOnlySpan<byte> body, out PathQueryBody query)
    {
        var reader = new WireReader(body);
        uint nonce = reader.ReadUInt32();
        int longest = (int)reader.ReadVarint(DatagramHeader.MaxDatagram);
        byte wants = reader.ReadByte();
        query = new PathQueryBody(nonce, longest, wants >= Fillers, wants == FillersInVain);
        return reader.IsAtEnd && wants <= FillersInVain;
    }
}
