using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Recovery;
using QuickSilver.Protocol.Recovery.Regions;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Stack;

/// <summary>
/// Reads hybrid datagrams, which are sent once for all regions of a group: it derives the packet of this node's view
/// and passes it on. One copy of the records into pooled memory. Core thread only. Source: first paper, section 2.1
/// (hybrid mode).
/// </summary>
internal sealed class HybridReader(StackParts rooms, PacketIntake packets)
{
    private readonly Arena _derived = new(rooms.Host.Pool, BufferOwner.Cache);

    /// <summary>
    /// Takes a hybrid datagram. The header that names a view of this node makes it an ordinary packet of that view. A
    /// sender sends in one step, so there is one at most. Without one this node is no member of the group yet, or not
    /// any more.
    /// </summary>
    /// <param name="header">Its header.</param>
    /// <param name="datagram">All its bytes.</param>
    /// <param name="opener">Tag and counter of the one view whose packet may be taken, since its keys have opened the
    /// datagram; null where datagrams are not sealed.</param>
    /// <param name="arrival">Its source and socket.</param>
    /// <param name="now">The time of arrival.</param>
    public RejectReason Take(
        in DatagramHeader header, ReadOnlySpan<byte> datagram, ulong? opener, in Arrival arrival, Instant now)
    {
        if (arrival.Role != SocketRole.Multicast) return RejectReason.WrongSocket;
        RejectReason reason = HybridPacket.TryRead(
            header, datagram, out ReadOnlySpan<byte> regions, out ReadOnlySpan<byte> records);
        if (reason != RejectReason.None) return reason;
        var reader = new WireReader(regions);
        while (reader.Remaining > 0)
        {
            HybridRegion region = HybridRegion.Read(ref reader, header.HasPayloadChecksum);
            ulong view = ((ulong)region.ViewTag << 32) | region.ViewCounter;
            if (opener is not null && view != opener) continue;
            if (rooms.Recoverer.Find(region.ViewTag, region.ViewCounter) is { } recovery)
                return TakeDerived(recovery, header, region, records, arrival, now);
        }
        return RejectReason.UnknownView;
    }

    private RejectReason TakeDerived(
        RegionRecovery recovery,
        in DatagramHeader header,
        in HybridRegion region,
        ReadOnlySpan<byte> records,
        in Arrival arrival,
        Instant now)
    {
        bool isLongIndex = WireWriter.VarintLength((ulong)region.GroupIndex) > 1;
        if (!_derived.TryTake(HybridPacket.LongestDerived(records.Length, isLongIndex), out Slice place))
            return RejectReason.NoRoom;
        int length = HybridPacket.Derive(header, region, recovery.View.Number.Epoch, records, place.Span);
        Slice packet = _derived.Trim(place, length);
        // No packet can be derived that the checksum would be that of: then damage shows so.
        RejectReason reason = header.HasPayloadChecksum ? RejectReason.PayloadChecksum : RejectReason.Malformed;
        if (length > 0) reason = DatagramHeader.TryRead(packet.Span, out DatagramHeader derived) is RejectReason.None
            ? packets.Take(recovery, derived, packet.Span, packet, arrival, now)
            : RejectReason.Malformed;
        if (reason == RejectReason.None) rooms.RecoveryCounters.HybridPackets++;
        packet.Release();
        return reason;
    }

    /// <summary>Releases the memory kept for the next packet.</summary>
    public void Close() => _derived.Close();
}
