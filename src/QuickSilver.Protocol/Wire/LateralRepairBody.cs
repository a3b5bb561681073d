namespace QuickSilver.Protocol.Wire;

/// <summary>
/// Body of a <see cref="DatagramKind.LateralRepair"/>: a combination of packets of lateral groups that the receiver of
/// the repair is in, made by a member from what it has received.
/// <code>
/// seed        4 bytes  0: exclusive or; else the coefficients in GF(256) follow from it and each id
/// ids         LateralIdList
/// block                the sum of the packets' blocks, each with its coefficient, as long as the longest
/// </code>
/// </summary>
internal static class LateralRepairBody
{
    /// <summary>Bytes of the seed.</summary>
    public const int SeedLength = 4;

    /// <summary>Writes everything but the block.</summary>
    public static void WritePrefix(ref WireWriter writer, uint seed, scoped ReadOnlySpan<LateralId> ids)
    {
        writer.WriteUInt32(seed);
        LateralIdList.Write(ref writer, ids);
    }

    /// <summary>Reads a body.</summary>
    /// <param name="body">The body.</param>
    /// <param name="ids">Receives the ids; room for <see cref="LateralIdList.MaxIds"/>.</param>
    /// <param name="seed">The seed.</param>
    /// <param name="block">The combination.</param>
    /// <returns>How many packets are combined; 0 when it is malformed.</returns>
    public static int TryRead(
        ReadOnlySpan<byte> body, Span<LateralId> ids, out uint seed, out ReadOnlySpan<byte> block)
    {
        var reader = new WireReader(body);
        seed = reader.ReadUInt32();
        int count = LateralIdList.Read(ref reader, ids);
        block = reader.ReadBytes(reader.Remaining);
        return block.Length is >= LateralBlock.HeadLength and <= LateralBlock.MaxLength ? count : 0;
    }

    /// <summary>The coefficient of a packet, never zero.</summary>
    public static byte CoefficientOf(uint seed, in LateralId id)
    {
        if (seed == 0) return 1;
        ulong mixed = LateralId.Mix(id.Mixed ^ ((ulong)seed << 16));
        return (byte)(1 + (mixed % 255));
    }
}
