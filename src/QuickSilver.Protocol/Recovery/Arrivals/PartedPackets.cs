using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Recovery.Reception;
using QuickSilver.Protocol.Recovery.Repairs;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Recovery.Arrivals;

/// <summary>
/// Packets of one view that are sent again in parts, since the way to this node does not carry them whole. Joins their
/// parts. Core thread only.
/// </summary>
internal sealed class PartedPackets(RegionState region, RepairParts joins)
{
    /// <summary>Takes a part of a packet that is sent again.</summary>
    /// <param name="header">The part's header.</param>
    /// <param name="body">The part's body.</param>
    /// <param name="now">The time of arrival.</param>
    /// <param name="whole">The packet with its reference when this was its last part; else empty.</param>
    /// <returns>The reason the part was dropped, or <see cref="RejectReason.None"/>.</returns>
    public RejectReason Join(in DatagramHeader header, ReadOnlySpan<byte> body, Instant now, out Slice whole)
    {
        whole = default;
        if (!RepairPartBody.TryRead(body, out RepairPartBody part)) return RejectReason.Malformed;
        if (header.IsFromPeer && !region.IsLivePeer(header.Relay, out RejectReason bad)) return bad;
        StreamReceiver? stream = header.IsFromPeer
            ? region.Streams.FindForPeer(header.Sender, out RejectReason reason)
            : region.Streams.Find(header.Sender, out reason);
        if (stream is null) return reason;
        // Only answers are joined: a packet that is not missing was not requested.
        if (stream.Own is not null || stream.Missing.IndexOf(header.Sequence) < 0) return RejectReason.None;
        whole = joins.Add(region.View, header, part, now);
        return RejectReason.None;
    }

    /// <summary>Checks a joined packet. Its parts may have come from several members: the source of each was
    /// checked.</summary>
    /// <param name="part">The header of the last part.</param>
    /// <param name="whole">The packet.</param>
    /// <param name="header">The packet's header.</param>
    /// <returns>The reason to drop it, or <see cref="RejectReason.None"/>.</returns>
    public RejectReason Check(in DatagramHeader part, in Slice whole, out DatagramHeader header)
    {
        RejectReason reason = DatagramHeader.TryRead(whole.Span, out header);
        if (reason != RejectReason.None) return reason;
        bool isMeant = header.Kind == DatagramKind.Repair && header.TotalLength == whole.Length
            && header.Cluster == part.Cluster && header.Sender == part.Sender && header.Sequence == part.Sequence
            && header.ViewTag == part.ViewTag && header.ViewCounter == part.ViewCounter;
        if (!isMeant) return RejectReason.Malformed;
        if (!header.PayloadIsIntact(whole.Span)) return RejectReason.PayloadChecksum;
        if (header.IsFromPeer) region.IsLivePeer(header.Relay, out reason);
        return reason;
    }
}
