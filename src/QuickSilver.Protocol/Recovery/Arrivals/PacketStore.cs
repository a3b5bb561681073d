using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Delivery;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Probing;
using QuickSilver.Protocol.Recovery.Paths;
using QuickSilver.Protocol.Recovery.Reception;
using QuickSilver.Protocol.Recovery.Repairs;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Recovery.Arrivals;

/// <summary>
/// Stores the packets of a view's streams as far as there is room, and hands each on once. A packet without room is
/// treated as never received: it is not counted as held, and is requested again when there is room. Core thread only;
/// O(1) a packet, one copy unless its memory can be kept.
/// </summary>
internal sealed class PacketStore(
    RecoveryContext node, RegionState region, PacketRoom room, InboundPaths inbound, ArrivalJudge arrivals,
    GapRepair gaps, PullAnswers answers)
{
    /// <summary>Stores a packet that is not here yet, and hands it on.</summary>
    /// <param name="stream">Its stream.</param>
    /// <param name="header">The datagram's header.</param>
    /// <param name="datagram">All bytes of the datagram.</param>
    /// <param name="part">The same bytes in pooled memory, where they can be kept; empty when they must be
    /// copied.</param>
    /// <param name="way">In which form it came.</param>
    /// <param name="now">The time of arrival.</param>
    /// <returns>The reason it was not stored, or <see cref="RejectReason.None"/>.</returns>
    public RejectReason Take(
        StreamReceiver stream, in DatagramHeader header, ReadOnlySpan<byte> datagram, in Slice part, PacketWay way,
        Instant now)
    {
        if (!Deliverer.IsWellFormed(region.View, datagram)) return RejectReason.Malformed;
        if (node.Probes.Here(BuggifySite.StoreRefused)) return RejectReason.NoRoom;
        if (!room.Takes(stream, header.Sequence, datagram))
        {
            node.Probes.Reached("a packet is not stored, since a cap is reached");
            return RejectReason.NoRoom;
        }
        ulong sequence = header.Sequence;
        if (!node.TryCopyToCache(datagram, part, out Slice slice)) return RejectReason.NoRoom;
        stream.Window.TryMark(sequence);
        stream.Cache.Store(sequence, slice);
        RecoveryCounters counters = node.Counters;
        counters.CachedBytes += slice.Length;
        counters.PacketsReceived++;
        bool isRepair = header.Kind == DatagramKind.Repair;
        bool wasMissing = stream.Missing.Fill(sequence, out MissingRange range);
        if (wasMissing && (isRepair || range.IsRequested))
        {
            if (isRepair && range.Attempts == 1) gaps.Sample(now - range.When);
            if (isRepair && range.IsRequested) counters.Answers++;
            // One that comes late by itself is not waited for either: nothing is asked for in vain.
            gaps.OnAnswer(range.Attempts, now);
        }
        if (isRepair)
        {
            bool fromPeer = (header.Flags & DatagramFlags.FromPeer) != 0;
            if (fromPeer) counters.RepairsFromPeers++;
            else counters.RepairsFromSenders++;
        }
        if ((header.Flags & DatagramFlags.Hybrid) != 0) arrivals.OnHybrid(stream, isRepair, now);
        if (header.IsFromPeer)
        {
            if (stream.NoteRelayed(datagram.Length, now)) inbound.Suspect(stream.Sender, isStuck: false, now);
        }
        else if (way == PacketWay.Whole)
        {
            stream.NoteDirect(datagram.Length, now);
        }
        answers.OnArrived(stream, sequence, now);
        node.Deliverer.OnPacket(region.View, stream.Sender, slice, now);
        return RejectReason.None;
    }
}
