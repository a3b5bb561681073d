using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Recovery.Reception;

namespace QuickSilver.Protocol.Recovery.Repairs;

/// <summary>
/// Whom a member of a view can ask for packets of a partition, beside the sender: its <em>peers</em> there, the live members of the partition that
/// are neither itself nor the stream's sender. Keeps nothing, so a removal counts at once. Cost: O(members of the partition).
/// </summary>
internal sealed class PartitionPeers(RegionView view, int self)
{
    /// <summary>How many peers there are.</summary>
    public int Count(StreamReceiver stream, int partition)
    {
        int count = 0;
        for (int position = 0; position < view.Partitions.SizeOf(partition); position++)
        {
            if (IsPeer(stream, view.Partitions.MemberAt(partition, position))) count++;
        }
        return count;
    }

    /// <summary>
    /// The peer to ask for a packet: by a hash of asker and packet, so that the load spreads without a word; at the next attempt, the next peer.
    /// </summary>
    /// <param name="stream">The packet's stream.</param>
    /// <param name="partition">Its partition.</param>
    /// <param name="peers">How many peers there are; not 0.</param>
    /// <param name="sequence">The packet, or the first of a run.</param>
    /// <param name="attempts">How often somebody was asked for it before.</param>
    public int Choose(StreamReceiver stream, int partition, int peers, ulong sequence, int attempts)
    {
        ulong hash = SeededRandom.Mix(view.Members[self].Number.Key ^ (sequence << 8) ^ stream.Sender.Number.Key);
        return At(stream, partition, (int)((hash + (ulong)attempts) % (ulong)peers));
    }

    /// <summary>How many peers come before this member in a partition; all of them, where it is no member.</summary>
    public int Before(StreamReceiver stream, int partition)
    {
        int rank = 0;
        for (int position = 0; position < view.Partitions.SizeOf(partition); position++)
        {
            int member = view.Partitions.MemberAt(partition, position);
            if (member == self) break;
            if (IsPeer(stream, member)) rank++;
        }
        return rank;
    }

    /// <summary>
    /// Up to here every other partition holds its packets; 0 when there is no other. A partition without peers holds nothing and will never hold
    /// more: the sender is asked for its packets at once.
    /// </summary>
    public ulong HeldByOthers(StreamReceiver stream)
    {
        int count = view.Partitions.Count;
        ulong held = count > 1 ? ulong.MaxValue : 0;
        for (int partition = 0; partition < count; partition++)
        {
            if (partition == view.Partitions.OfMember(self) || stream.HeldIn(partition) >= held) continue;
            if (Count(stream, partition) > 0) held = stream.HeldIn(partition);
        }
        return held;
    }

    /// <summary>A peer by its place among them, from 0; there must be so many.</summary>
    public int At(StreamReceiver stream, int partition, int place)
    {
        for (int position = 0; ; position++)
        {
            int member = view.Partitions.MemberAt(partition, position);
            if (IsPeer(stream, member) && place-- == 0) return member;
        }
    }

    private bool IsPeer(StreamReceiver stream, int member)
    {
        NodeInfo node = view.Members[member];
        return member != self && !node.IsRemoved && node != stream.Sender;
    }
}
