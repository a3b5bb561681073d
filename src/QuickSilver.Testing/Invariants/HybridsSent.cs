using QuickSilver.Protocol.Wire;

namespace QuickSilver.Testing.Invariants;

/// <summary>
/// The packets of regions that a hybrid datagram stands for, derived as a member would derive its own. O(bytes) for
/// each region.
/// </summary>
internal static class HybridsSent
{
    /// <summary>Shows each region's packet.</summary>
    /// <param name="header">The hybrid datagram's header.</param>
    /// <param name="datagram">The hybrid datagram.</param>
    /// <param name="views">Knows the views.</param>
    /// <param name="show">Called with each view, and the packet in it.</param>
    /// <returns>False when the datagram is malformed, or names a view that nobody has installed, or a merged one: its
    /// members need not listen at the group's address.</returns>
    public static bool TryShow(
        in DatagramHeader header, ReadOnlySpan<byte> datagram, ViewChecks views, Action<RegionViewFacts, byte[]> show)
    {
        RejectReason reason = HybridPacket.TryRead(
            header, datagram, out ReadOnlySpan<byte> regions, out ReadOnlySpan<byte> records);
        if (reason != RejectReason.None) return false;
        var reader = new WireReader(regions);
        byte[] place = new byte[DatagramHeader.MaxDatagram];
        while (reader.Remaining > 0)
        {
            HybridRegion region = HybridRegion.Read(ref reader, header.HasPayloadChecksum);
            if (views.FindView(region.ViewTag, region.ViewCounter) is not { View.IsMerged: false } view)
                return false;
            int length = HybridPacket.Derive(header, region, view.View.Number.Epoch, records, place);
            if (length == 0) return false;
            byte[] packet = place[..length];
            if (DatagramHeader.TryRead(packet, out DatagramHeader own) != RejectReason.None
                || !own.PayloadIsIntact(packet)) return false;
            show(view, packet);
        }
        return true;
    }
}
