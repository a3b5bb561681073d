using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Recovery.Reception;

namespace QuickSilver.Protocol.Recovery.Repairs;

/// <summary>
/// The members of a view that this member can ask for packets of a partition, besides the sender: its <em>peers</em>
/// there. They are the live members of the partition except itself and the stream's sender. Keeps no state, so a
/// removal counts at once. Cost: O(members of the partition).
/// </summary>
internal sealed class PartitionPeers(RegionView view, int self)
{
    /// <summary>Number of peers in a partition.</summary>
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
    /// Chooses the peer to ask for a packet by a hash of asker and packet, so that the load spreads without
    /// coordination. The next attempt chooses the next peer.
    /// </summary>
    /// <param name="stream">The packet's stream.</param>
    /// <param name="partition">The packet's partition.</param>
    /// <param name="peers">Number of peers there; not 0.</param>
    /// <param name="sequence">The packet, or the first of a range.</param>
    /// <param name="attempts">Number of earlier requests for it.</param>
    public int Choose(StreamReceiver stream, int partition, int peers, ulong sequence, int attempts)
    {
        ulong hash = SeededRandom.Mix(view.Members[self].Number.Key ^ (sequence << 8) ^ stream.Sender.Number.Key);
        return At(stream, partition, (int)((hash + (ulong)attempts) % (ulong)peers));
    }

    /// <summary>Number of peers before this member in a partition; all of them where it is no member.</summary>
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
    /// The place up to which every other partition holds its packets; 0 when there is no other. A partition without
    /// peers is left out: it never holds more, and the sender is asked for its packets at once.
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

    /// <summary>A peer by its index among the peers, from 0. The index must be less than their number.</summary>
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
