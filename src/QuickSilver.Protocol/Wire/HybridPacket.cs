using System.Buffers.Binary;

namespace QuickSilver.Protocol.Wire;

/// <summary>
/// Body of a <see cref="DatagramKind.Hybrid"/>: one copy of a group's messages for all regions that the group spans,
/// sent to the group's own address. Each region's header names the packet's place in that region's stream.
/// <code>
/// list      2 bytes   length of the list of regions
/// region*             until the list ends, at least one: HybridRegion
/// record*             until the datagram ends: PacketRecord, all of one group, whose index is written as 0; none is
///                     marked as the first in its stream; the last may be filler
/// </code>
/// The payload checksum in the datagram's header is always that of the list. Each region's header has the checksum of
/// that region's packet.
/// <para>
/// Idea: the ordinary packet of a region is <em>derived</em>: its header and first step come from the region's header,
/// its records are those here with the region's index of the group. Sender and members derive the same bytes. So
/// everything after that, from the checksum to the repair of a peer, is as with a packet that was sent to the region.
/// </para>
/// <para>
/// Cost: one copy of the messages, O(regions + records). Allocates nothing.
/// </para>
/// </summary>
internal static class HybridPacket
{
    /// <summary>Offset of the list's length in the datagram.</summary>
    public const int ListOffset = DatagramHeader.Length;

    /// <summary>Offset of the first region's header in the datagram.</summary>
    public const int RegionsOffset = ListOffset + sizeof(ushort);

    /// <summary>Reads the list of regions of a datagram whose header is good. Total.</summary>
    /// <param name="header">The datagram's header.</param>
    /// <param name="datagram">All bytes of the datagram.</param>
    /// <param name="regions">The list: read it with <see cref="HybridRegion.Read"/>.</param>
    /// <param name="records">The records.</param>
    /// <returns><see cref="RejectReason.None"/>, or the reason to drop the datagram.</returns>
    public static RejectReason TryRead(
        in DatagramHeader header,
        ReadOnlySpan<byte> datagram,
        out ReadOnlySpan<byte> regions,
        out ReadOnlySpan<byte> records)
    {
        regions = default;
        records = default;
        if (datagram.Length < RegionsOffset || header.Sequence != 0 || header.ViewTag != 0 || header.ViewCounter != 0)
            return RejectReason.Malformed;
        if ((header.Flags & ~DatagramFlags.PayloadChecksum) != 0) return RejectReason.Malformed;
        // A length that was damaged may lie beyond the datagram's end.
        if (!ListIsIntact(datagram)) return RejectReason.PayloadChecksum;
        int length = BinaryPrimitives.ReadUInt16LittleEndian(datagram[ListOffset..]);
        if (length == 0) return RejectReason.Malformed;
        var reader = new WireReader(datagram.Slice(RegionsOffset, length));
        while (!reader.Failed && reader.Remaining > 0) HybridRegion.Read(ref reader, header.HasPayloadChecksum);
        if (reader.Failed) return RejectReason.Malformed;
        regions = datagram.Slice(RegionsOffset, length);
        records = datagram[(RegionsOffset + length)..];
        return RejectReason.None;
    }

    /// <summary>The views of a well-formed datagram, in the order of its list.</summary>
    /// <param name="datagram">All bytes of the datagram.</param>
    /// <param name="views">Destination: tag and counter of each.</param>
    /// <returns>How many there are; 0 when there are none, or more than fit.</returns>
    public static int ViewsOf(ReadOnlySpan<byte> datagram, Span<ulong> views)
    {
        if (!HasList(datagram)) return 0;
        bool hasChecksum = (DatagramHeader.FlagsOf(datagram) & DatagramFlags.PayloadChecksum) != 0;
        int length = BinaryPrimitives.ReadUInt16LittleEndian(datagram[ListOffset..]);
        var reader = new WireReader(datagram.Slice(RegionsOffset, length));
        int count = 0;
        while (!reader.Failed && reader.Remaining > 0)
        {
            if (count == views.Length) return 0;
            HybridRegion region = HybridRegion.Read(ref reader, hasChecksum);
            views[count++] = ((ulong)region.ViewTag << 32) | region.ViewCounter;
        }
        return reader.Failed ? 0 : count;
    }

    /// <summary>A bound on the length of a region's packet.</summary>
    /// <param name="records">Bytes of the records.</param>
    /// <param name="isLongIndex">True when the region's index of the group may take more than a byte.</param>
    public static int LongestDerived(int records, bool isLongIndex)
    {
        long longest = DatagramHeader.Length + HybridRegion.MaxLength + (long)records;
        // A record of a byte of content has four bytes at least, and gets two more.
        if (isLongIndex) longest += records / 2;
        return (int)Math.Min(longest, DatagramHeader.MaxDatagram);
    }

    /// <summary>True when the list of regions ends within the datagram.</summary>
    internal static bool HasList(ReadOnlySpan<byte> datagram) =>
        datagram.Length >= RegionsOffset
        && BinaryPrimitives.ReadUInt16LittleEndian(datagram[ListOffset..]) <= datagram.Length - RegionsOffset;

    /// <summary>True when the list of regions has the checksum that the datagram's header says.</summary>
    internal static bool ListIsIntact(ReadOnlySpan<byte> datagram) =>
        HasList(datagram)
        && ListChecksum(datagram) == DatagramHeader.PayloadChecksumOf(datagram);

    /// <summary>The checksum of the list of regions with its length.</summary>
    internal static uint ListChecksum(ReadOnlySpan<byte> datagram)
    {
        int length = BinaryPrimitives.ReadUInt16LittleEndian(datagram[ListOffset..]);
        return Crc32C.Of(datagram.Slice(ListOffset, sizeof(ushort) + length));
    }

    /// <summary>
    /// Writes the ordinary packet of one region: the datagram that the region's stream would have carried.
    /// </summary>
    /// <param name="header">The hybrid datagram's header.</param>
    /// <param name="region">The region's header.</param>
    /// <param name="viewEpoch">Epoch of the region's view.</param>
    /// <param name="records">The records.</param>
    /// <param name="place">Destination; <see cref="DatagramHeader.MaxDatagram"/> bytes are always enough for a packet
    /// that may be sent.</param>
    /// <returns>Length of the packet; 0 when the records are malformed or the place is too short.</returns>
    public static int Derive(
        in DatagramHeader header,
        in HybridRegion region,
        Epoch viewEpoch,
        ReadOnlySpan<byte> records,
        Span<byte> place)
    {
        if (region.PreviousEpoch == viewEpoch || place.Length < DatagramHeader.Length) return 0;
        var reader = new WireReader(records);
        var writer = new WireWriter(place[DatagramHeader.Length..]);
        writer.WriteVarint(region.Step);
        bool isFirst = true;
        while (PacketRecord.TryRead(ref reader, records.Length, viewEpoch, out PacketRecord record))
        {
            if (record.GroupIndex != 0 || record.IsFirst) return 0;
            bool isMarked = isFirst && region.IsFirst;
            if (isMarked && record.Count > 1) return 0;
            PacketRecord.WriteHead(
                ref writer,
                viewEpoch,
                region.GroupIndex,
                record.Number,
                isMarked,
                isMarked ? region.PreviousStep(viewEpoch) : default,
                record.MessageLength,
                record.FragmentOffset,
                record.Bytes.Length / record.Count,
                record.Count,
                record.IsPiece);
            writer.WriteBytes(record.Bytes);
            isFirst = false;
        }
        if (reader.Failed || writer.Overflowed || isFirst) return 0;
        Span<byte> packet = place[..(DatagramHeader.Length + writer.Written)];
        HeaderOf(header, region).WriteSealed(packet, region.Checksum);
        return packet.Length;
    }

    /// <summary>Writes the ordinary packet of one region of a good hybrid datagram.</summary>
    /// <param name="datagram">The hybrid datagram.</param>
    /// <param name="index">Position of the region in the list.</param>
    /// <param name="viewEpoch">Epoch of the region's view.</param>
    /// <param name="place">Destination.</param>
    /// <returns>Length of the packet; 0 when there is none.</returns>
    internal static int Derive(ReadOnlySpan<byte> datagram, int index, Epoch viewEpoch, Span<byte> place)
    {
        RejectReason reason = DatagramHeader.TryRead(datagram, out DatagramHeader header);
        if (reason != RejectReason.None) return 0;
        reason = TryRead(header, datagram, out ReadOnlySpan<byte> regions, out ReadOnlySpan<byte> records);
        if (reason != RejectReason.None) return 0;
        var reader = new WireReader(regions);
        HybridRegion region = default;
        for (; index >= 0; index--) region = HybridRegion.Read(ref reader, header.HasPayloadChecksum);
        return reader.Failed ? 0 : Derive(header, region, viewEpoch, records, place);
    }

    /// <summary>The header of a region's packet; its length is not set.</summary>
    private static DatagramHeader HeaderOf(in DatagramHeader header, in HybridRegion region)
    {
        DatagramFlags flags = (header.Flags & DatagramFlags.PayloadChecksum) | DatagramFlags.Hybrid;
        if (region.Urgency == FeedbackUrgency.Immediate) flags |= DatagramFlags.FeedbackWanted;
        else if (region.Urgency == FeedbackUrgency.Normal) flags |= DatagramFlags.FeedbackAwaited;
        return new DatagramHeader
        {
            Version = header.Version,
            Kind = DatagramKind.Data,
            Flags = flags,
            Cluster = header.Cluster,
            ViewTag = region.ViewTag,
            ViewCounter = region.ViewCounter,
            Sender = header.Sender,
            Sequence = region.Sequence,
        };
    }
}
