namespace QuickSilver.Protocol.Wire;

/// <summary>
/// Body of a <see cref="DatagramKind.PathQuery"/>: a member tells a node how long the node's datagrams may be to reach it. The header's sender is the
/// member; its sequence is the key of the node addressed.
/// <code>
/// nonce       4 bytes  comes back with the answer and in the fillers
/// longest     varint   the longest datagram that arrives, at most 65,493; 0: all arrive
/// wants       1 byte   1: fillers of several lengths are wanted; 0: only the answer is
/// </code>
/// </summary>
/// <param name="Nonce">Names the query.</param>
/// <param name="Longest">The longest datagram that arrives; 0: all arrive, as far as the member knows.</param>
/// <param name="WantsFillers">True when the node is to send fillers.</param>
public readonly record struct PathQueryBody(uint Nonce, int Longest, bool WantsFillers)
{
    /// <summary>Writes the body.</summary>
    public void WriteTo(ref WireWriter writer)
    {
        writer.WriteUInt32(Nonce);
        writer.WriteVarint((ulong)Longest);
        writer.WriteByte(WantsFillers ? (byte)1 : (byte)0);
    }

    /// <summary>Reads a body; false when it is malformed.</summary>
    public static bool TryRead(ReadOnlySpan<byte> body, out PathQueryBody query)
    {
        var reader = new WireReader(body);
        uint nonce = reader.ReadUInt32();
        int longest = (int)reader.ReadVarint(DatagramHeader.MaxDatagram);
        byte wants = reader.ReadByte();
        query = new PathQueryBody(nonce, longest, wants == 1);
        return reader.IsAtEnd && wants <= 1;
    }
}
