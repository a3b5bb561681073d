using QuickSilver.Protocol.Delivery;
using QuickSilver.Protocol.Probing;
using QuickSilver.Protocol.Recovery.Reception;

namespace QuickSilver.Protocol.Recovery.Repairs;

/// <summary>
/// Whether there is room for packets of one region view: in the cache, and with delivery. What has no room is neither
/// stored nor requested. Core thread only; O(1), or O(packets taken beyond the cap) once a cap is reached.
/// </summary>
internal sealed class PacketRoom(RecoveryContext node, RegionState region)
{
    private const ulong GuaranteedPackets = OverLimitAllowance.GuaranteedPackets;

    /// <summary>
    /// The highest sequence of a stream that is worth requesting: there is no room for packets beyond it.
    /// </summary>
    public ulong AskableThrough(StreamReceiver stream)
    {
        if (stream.Own is not null) return ulong.MaxValue;
        int bytes = node.Transport.Facts.SlotBytes;
        ulong through = node.HasCacheRoom(bytes) ? ulong.MaxValue : stream.Cleanup + GuaranteedPackets;
        if (stream.Orphan is not null || node.Deliverer.Cap.Allows(bytes)) return through;
        bool mayExceed = node.Deliverer.Cap.MayTakeBeyondCap(region.View, stream.Sender);
        return Math.Min(through, stream.Window.Contiguous + (mayExceed ? GuaranteedPackets : 0));
    }

    /// <summary>True when there is room for a packet. Delivery may count it as taken: it is stored then.</summary>
    /// <param name="stream">Its stream.</param>
    /// <param name="sequence">Its sequence.</param>
    /// <param name="datagram">All bytes of its datagram.</param>
    public bool Takes(StreamReceiver stream, ulong sequence, ReadOnlySpan<byte> datagram) =>
        HasRoom(stream, sequence, datagram.Length) && DeliveryTakes(stream, sequence, datagram);

    // A full cache still takes a few packets of each stream above what all members hold. Otherwise packets above a gap
    // could fill it, and two members could deadlock, each full of the stream that the other lacks. So the member
    // furthest behind always advances. The next few may come only after the rounds in which all members learn that all
    // hold these. They are so few that losses among them add no rounds.
    private bool HasRoom(StreamReceiver stream, ulong sequence, int bytes)
    {
        if (node.HasCacheRoom(bytes)) return true;
        if (sequence > stream.Cleanup + GuaranteedPackets) return false;
        node.Probes.Reached("a packet is stored beyond the cap, so that the stream goes on");
        return true;
    }

    private bool DeliveryTakes(StreamReceiver stream, ulong sequence, ReadOnlySpan<byte> datagram)
    {
        if (node.Deliverer.Cap.Allows(region.View, stream.Sender, datagram)) return true;
        if (sequence > stream.Window.Contiguous + GuaranteedPackets
            || !node.Deliverer.Cap.TryTakeBeyondCap(region.View, stream.Sender, datagram))
        {
            return false;
        }
        node.Probes.Reached("a packet is stored beyond the cap, so that the stream goes on");
        return true;
    }
}
