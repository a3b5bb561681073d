using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Recovery.Reception;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Recovery.Repairs;

/// <summary>
/// Answers the pulls of one view's members: what is here is owed to the asker at once, what is not is promised, and sent when it comes.
/// <para>
/// Awkward case: a pull may name more than there is, by mistake or on purpose. Nothing far beyond the highest sequence known is looked at, and only
/// so much of one pull; who misses more asks again. Cost: O(packets looked at). Source: first paper, section 2.2 (forwarding on arrival).
/// </para>
/// </summary>
internal sealed class PullAnswers(Recoverer node, RegionRecovery region)
{
    /// <summary>How far a peer may know more of a stream than this member.</summary>
    private const int AnswerSlack = 4096;

    /// <summary>Packets of one pull that are looked at.</summary>
    private const int MostAnswered = 4096;

    private readonly List<int> _promised = [];

    /// <summary>Answers a pull.</summary>
    public void Answer(StreamReceiver stream, int asker, in PullBody pull, Instant now)
    {
        ulong highest = stream.KnownHighest + AnswerSlack;
        int left = MostAnswered;
        foreach (SequenceRange range in pull.Ranges)
        {
            ulong start = Math.Max(range.Start, stream.Cleanup + 1);
            ulong end = Math.Min(range.End, highest + 1);
            if (start >= end) continue;
            if (pull.Partition == region.View.Partitions.Count)
            {
                // Only what is here: who asks knows from the token who holds it.
                for (ulong sequence = start; sequence < end && left > 0; sequence++, left--)
                {
                    if (stream.TryGetPacket(sequence, out _)) node.Repairs.Add(region, stream, sequence, asker, now);
                }
                continue;
            }
            for (ulong place = stream.FirstPlaceFrom(start, pull.Partition); left > 0; place++, left--)
            {
                ulong sequence = stream.SequenceAt(place, pull.Partition);
                if (sequence >= end) break;
                if (stream.TryGetPacket(sequence, out _))
                {
                    node.Probes.Hit(Mark.RepairByPull);
                    node.Repairs.Add(region, stream, sequence, asker, now);
                }
                else if (!stream.Has(sequence)) Promise(stream, sequence, asker, now);
            }
        }
    }

    /// <summary>A packet has arrived: whoever was promised it gets it. O(1) while nothing of the stream is promised.</summary>
    public void OnArrived(StreamReceiver stream, ulong sequence, Instant now)
    {
        if (stream.Pulls.IsEmpty) return;
        stream.Pulls.Take(sequence, _promised);
        if (_promised.Count > 0) node.Probes.Hit(Mark.PromiseKept);
        foreach (int member in _promised) node.Repairs.Add(region, stream, sequence, member, now);
    }

    private void Promise(StreamReceiver stream, ulong sequence, int asker, Instant now)
    {
        node.Probes.Hit(Mark.PullPromised);
        stream.Pulls.Add(sequence, asker);
        region.Gaps.OnPeerMisses(stream, sequence, now);
    }
}
