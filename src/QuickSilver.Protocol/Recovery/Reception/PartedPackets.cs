using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Recovery.Reception;

/// <summary>
/// Packets of one view that are sent again in parts, since the way to this node does not carry them whole. Joins their
/// parts, and takes the whole packets. Core thread only.
/// </summary>
internal sealed class PartedPackets(Recoverer node, RegionRecovery region)
{
    /// <summary>Takes a part of a packet that is sent again, and the packet when this was its last part.</summary>
    /// <param name="header">The part's header.</param>
    /// <param name="body">The part's body.</param>
    /// <param name="now">The time of arrival.</param>
    /// <returns>The reason it was dropped, or <see cref="RejectReason.None"/>.</returns>
    public RejectReason Take(in DatagramHeader header, ReadOnlySpan<byte> body, Instant now)
    {
        RejectReason reason = Join(header, body, now, out Slice whole);
        if (whole.IsEmpty) return reason;
        reason = TakeWhole(header, whole, now);
        whole.Release();
        return reason;
    }

    private RejectReason Join(in DatagramHeader header, ReadOnlySpan<byte> body, Instant now, out Slice whole)
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
        whole = node.Parts.Add(region.View, header, part, now);
        return RejectReason.None;
    }

    private RejectReason TakeWhole(in DatagramHeader part, in Slice whole, Instant now)
    {
        RejectReason reason = DatagramHeader.TryRead(whole.Span, out DatagramHeader header);
        if (reason != RejectReason.None) return reason;
        bool isMeant = header.Kind == DatagramKind.Repair && header.TotalLength == whole.Length
            && header.Cluster == part.Cluster && header.Sender == part.Sender && header.Sequence == part.Sequence
            && header.ViewTag == part.ViewTag && header.ViewCounter == part.ViewCounter;
        if (!isMeant) return RejectReason.Malformed;
        if (!header.PayloadIsIntact(whole.Span)) return RejectReason.PayloadChecksum;
        if (header.IsFromPeer && !region.IsLivePeer(header.Relay, out reason)) return reason;
        // Its parts may have come from several members. The source of each was checked.
        return region.Take(header, whole.Span, whole, SocketRole.Unicast, PacketWay.Joined, now);
    }
}
