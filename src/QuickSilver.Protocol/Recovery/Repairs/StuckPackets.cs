using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Recovery.Paths;
using QuickSilver.Protocol.Recovery.Reception;

namespace QuickSilver.Protocol.Recovery.Repairs;

/// <summary>
/// Notices, for one region view, packets that stay missing after several requests. Their repairs may be too long for
/// the way, so the ways of those that answer are suspected (<see cref="InboundPaths"/>).
/// <para>
/// This member's requests are its own pulls and NAKs, and each token that lists the packet as missing: then a neighbour
/// pushes it, or the sender is asked for the partition. The sender's way is measured first. While that finds nothing
/// new, the ways of the peers that hold the packet's partition follow, one by one.
/// </para>
/// Core thread only. O(1) while nothing is stuck, then O(members of the partition).
/// </summary>
internal sealed class StuckPackets(
    RegionState region, PartitionPeers peers, InboundPaths inbound, ArrivalJudge arrivals)
{
    private const int EnoughAsks = 3;

    private static readonly TimeSpan StuckTime = TimeSpan.FromMilliseconds(500);

    /// <summary>A token lists the packets that this member misses of its own partition.</summary>
    /// <param name="stream">The stream that is listed.</param>
    /// <param name="judged">The position up to which it is listed.</param>
    /// <param name="now">The time of the visit.</param>
    public void OnListed(StreamReceiver stream, ulong judged, Instant now)
    {
        if (stream.Missing.Count == 0) return;
        ulong first = stream.Missing[0].Start;
        if (first <= judged && Map.OfSequence(first) == Map.OfMember(region.Self)) stream.Stuck.Listed++;
        Look(stream, now);
    }

    /// <summary>Checks whether the first missing packet is stuck.</summary>
    /// <param name="stream">A stream with missing packets.</param>
    /// <param name="now">The time of the check.</param>
    public void Look(StreamReceiver stream, Instant now)
    {
        MissingRange first = stream.Missing[0];
        if (stream.Stuck.At != first.Start)
        {
            stream.Stuck.At = first.Start;
            stream.Stuck.Since = now;
            stream.Stuck.Listed = 0;
            return;
        }
        if (!IsStuck(stream, now)) return;
        // The sender's multicast is judged again, though nothing more is missed.
        arrivals.OnMissed(stream, 0, now);
        if (stream.Orphan is { } orphan)
        {
            int holder = orphan.Missing.HolderOf(first.Start, out _);
            if (holder >= 0) inbound.Suspect(region.View.Members[holder], isStuck: true, now);
        }
        else if (!inbound.Suspect(stream.Sender, isStuck: true, now))
        {
            SuspectPeers(stream, Map.OfSequence(first.Start), now);
        }
    }

    /// <summary>True while a packet is stuck in the view.</summary>
    public bool HasAny(Instant now)
    {
        foreach (StreamReceiver stream in region.Streams)
        {
            if (IsStuck(stream, now)) return true;
        }
        return false;
    }

    private static bool IsStuck(StreamReceiver stream, Instant now)
    {
        if (stream.Missing.Count == 0 || stream.Missing[0].Start != stream.Stuck.At) return false;
        int asks = Math.Max(stream.Missing[0].Attempts, stream.Stuck.Listed);
        return asks >= EnoughAsks && now - stream.Stuck.Since >= StuckTime;
    }

    private PartitionMap Map => region.View.Partitions;

    private void SuspectPeers(StreamReceiver stream, int partition, Instant now)
    {
        for (int index = peers.Count(stream, partition) - 1; index >= 0; index--)
        {
            NodeInfo peer = region.View.Members[peers.At(stream, partition, index)];
            if (inbound.Suspect(peer, isStuck: true, now)) return;
        }
    }
}
