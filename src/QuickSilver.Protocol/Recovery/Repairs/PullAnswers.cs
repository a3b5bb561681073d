using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Probing;
using QuickSilver.Protocol.Recovery.Reception;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Recovery.Repairs;

/// <summary>
/// Answers the pulls of one view's members. Packets that are here are queued for the asker at once. Missing ones are
/// promised, and sent when they arrive.
/// <para>
/// Awkward case: a pull may name more than there is, by mistake or on purpose. Nothing far beyond the highest known
/// sequence is examined, and only a limited number of packets of one pull. An asker that misses more asks again. Cost:
/// O(packets examined). Source: first paper, section 2.2 (forwarding on arrival).
/// </para>
/// </summary>
internal sealed class PullAnswers(RecoveryContext node, RegionState region, RepairFeed repairs, GapRepair gaps)
{
    /// <summary>Number of packets by which a peer's knowledge of a stream may exceed this member's.</summary>
    private const int AnswerSlack = 4096;

    /// <summary>Limit on the packets of one pull that are examined.</summary>
    private const int MostAnswered = 4096;

    private readonly List<int> _promised = [];

    /// <summary>Answers a pull.</summary>
    public void Answer(StreamReceiver stream, int asker, in PullBody pull, Instant now)
    {
        ulong highest = stream.KnownHighest + AnswerSlack;
        int remaining = MostAnswered;
        foreach (SequenceRange range in pull.Ranges)
        {
            ulong start = Math.Max(range.Start, stream.Cleanup + 1);
            ulong end = Math.Min(range.End, highest + 1);
            if (start >= end) continue;
            if (pull.Partition == region.View.Partitions.Count)
            {
                // Only packets that are here: the asker knows from the token which member holds them.
                for (ulong sequence = start; sequence < end && remaining > 0; sequence++, remaining--)
                {
                    if (stream.TryGetPacket(sequence, out _)) repairs.Add(region, stream, sequence, asker, now);
                }
                continue;
            }
            ulong place = stream.FirstPlaceFrom(start, pull.Partition);
            for (; remaining > 0; place++, remaining--)
            {
                ulong sequence = stream.SequenceAt(place, pull.Partition);
                if (sequence >= end) break;
                if (stream.TryGetPacket(sequence, out _))
                {
                    node.Probes.Reached("a member gives a packet that it is asked for");
                    repairs.Add(region, stream, sequence, asker, now);
                }
                else if (!stream.Has(sequence)) Promise(stream, sequence, asker, now);
            }
        }
    }

    /// <summary>
    /// A packet has arrived: sends it to the members that it was promised to. O(1) while nothing of the stream is
    /// promised.
    /// </summary>
    public void OnArrived(StreamReceiver stream, ulong sequence, Instant now)
    {
        if (stream.Pulls.IsEmpty) return;
        stream.Pulls.Take(sequence, _promised);
        if (_promised.Count > 0) node.Probes.Reached("what a member promised arrives and is passed on");
        foreach (int member in _promised) repairs.Add(region, stream, sequence, member, now);
    }

    private void Promise(StreamReceiver stream, ulong sequence, int asker, Instant now)
    {
        node.Probes.Reached("a member is asked for what it lacks and remembers it");
        stream.Pulls.Add(sequence, asker);
        gaps.OnPeerMisses(stream, sequence, now);
    }
}
