namespace QuickSilver.Protocol.Wire;

/// <summary>
/// Body of a <see cref="DatagramKind.RegionRepair"/>: a combination of packets of the region view that its header
/// names, made by a member from what it holds.
/// <code>
/// seed        4 bytes  the coefficients in GF(256) follow from it and each packet's name; 0: they are all 1
/// streams     varint   1 to 64; each:
///   sender    varint   the sender's key; from the second on the difference to the one before, which is lower
///   packets   varint   1 to 64, and no more than 64 in all streams
///   sequence  varint   of the first packet; then, for each other, the difference to the one before
/// block                the sum of the packets' blocks, each with its coefficient, as long as the longest
/// </code>
/// There is one way to write a list. A coefficient is that of <see cref="LateralRepairBody.CoefficientOf"/>.
/// </summary>
public static class RegionRepairBody
{
    /// <summary>Limit on the packets of one repair.</summary>
    public const int MaxPackets = 64;

    /// <summary>Bytes before the first stream: the seed, and the number of streams.</summary>
    public const int FixedLength = 4 + 1;

    private const ulong MaxSequence = (1UL << 48) - 1;

    /// <summary>Bytes that a packet adds to the list, for a name that follows another.</summary>
    /// <param name="before">The name before it; the default value for the first.</param>
    /// <param name="name">Its name.</param>
    public static int LengthOf(in LateralId before, in LateralId name) =>
        before.Sender == name.Sender
            ? WireWriter.VarintLength(name.Number - before.Number)
            : WireWriter.VarintLength(name.Sender - before.Sender) + 1 + WireWriter.VarintLength(name.Number);

    /// <summary>Writes everything but the block.</summary>
    /// <param name="writer">Receives it.</param>
    /// <param name="seed">The seed.</param>
    /// <param name="names">The packets, rising, all of one view.</param>
    public static void WritePrefix(ref WireWriter writer, uint seed, scoped ReadOnlySpan<LateralId> names)
    {
        writer.WriteUInt32(seed);
        int streams = 0;
        for (int index = 0; index < names.Length; index += CountOf(names, index)) streams++;
        writer.WriteVarint((ulong)streams);
        ulong sender = 0;
        for (int index = 0; index < names.Length;)
        {
            int count = CountOf(names, index);
            writer.WriteVarint(names[index].Sender - sender);
            sender = names[index].Sender;
            writer.WriteVarint((ulong)count);
            ulong sequence = 0;
            for (int end = index + count; index < end; index++)
            {
                writer.WriteVarint(names[index].Number - sequence);
                sequence = names[index].Number;
            }
        }
    }

    /// <summary>Reads a body.</summary>
    /// <param name="body">The body.</param>
    /// <param name="viewCounter">The counter of the view that the header names.</param>
    /// <param name="viewTag">Its tag.</param>
    /// <param name="names">Receives the packets' names; room for <see cref="MaxPackets"/>.</param>
    /// <param name="seed">The seed.</param>
    /// <param name="block">The combination.</param>
    /// <returns>How many packets are combined; 0 when it is malformed.</returns>
    public static int TryRead(
        ReadOnlySpan<byte> body,
        uint viewCounter,
        uint viewTag,
        Span<LateralId> names,
        out uint seed,
        out ReadOnlySpan<byte> block)
    {
        var reader = new WireReader(body);
        seed = reader.ReadUInt32();
        int streams = (int)reader.ReadVarint(MaxPackets);
        int total = 0;
        ulong sender = 0;
        for (int stream = 0; stream < streams && !reader.Failed; stream++)
        {
            ulong next = sender + reader.ReadVarint();
            if (next <= sender) reader.Fail();
            sender = next;
            int count = (int)reader.ReadVarint((ulong)(MaxPackets - total));
            if (count == 0) reader.Fail();
            ulong sequence = 0;
            for (; count > 0 && !reader.Failed; count--)
            {
                ulong after = sequence + reader.ReadVarint(MaxSequence);
                if (after <= sequence || after > MaxSequence) reader.Fail();
                sequence = after;
                names[total++] = RegionBlock.Name(sender, sequence, viewCounter, viewTag);
            }
        }
        block = reader.ReadBytes(reader.Remaining);
        bool isGood = !reader.Failed && block.Length is >= RegionBlock.HeadLength and <= RegionBlock.MaxLength;
        return isGood ? total : 0;
    }

    // Packets of one sender from an index on.
    private static int CountOf(scoped ReadOnlySpan<LateralId> names, int first)
    {
        int end = first + 1;
        while (end < names.Length && names[end].Sender == names[first].Sender) end++;
        return end - first;
    }
}
