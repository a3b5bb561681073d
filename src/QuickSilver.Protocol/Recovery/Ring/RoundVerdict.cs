using System.Diagnostics;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Recovery.Reception;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Recovery.Ring;

/// <summary>
/// A leader's conclusions at the end of a round: the stable positions, and the feedback for each sender. Only a round
/// that visited every member that is not removed may raise stability. Any round reports to the senders how far the
/// slowest member that answers has read.
/// </summary>
internal sealed class RoundVerdict(RecoveryContext node, RegionState region, RingParts parts, AckFeed acks)
{
    /// <summary>Judges every stream of the token.</summary>
    /// <param name="token">The token, at the end of its round.</param>
    /// <param name="round">The number of the round.</param>
    /// <param name="era">The era of the round; 0 when it changed during the round.</param>
    /// <param name="now">The time when the round ended.</param>
    /// <returns>False when the next round should follow soon. Either this round skipped a member, or a member lacks
    /// packets sent before the previous round, or a removed sender's stream is to be closed.</returns>
    public bool Judge(Token token, ulong round, int era, Instant now)
    {
        Debug.Assert(token.Phase == TokenPhase.Done, "the round is over");
        Debug.Assert(region.Ring.IsLeader, "the leader alone judges");
        bool isWell = token.Complete;
        int growing = CountGrowing(token, round);
        for (int index = 0; index < token.StreamCount; index++)
        {
            TokenStream record = token[index];
            if (record.IsOrphan || parts.Removed.Contains(record.Sender))
            {
                isWell = false;
                if (parts.Removed.StreamOf(record.Sender) is { } left && record.IsOrphan)
                    parts.Orphans.Judge(left, record, token.Complete, round, era, now);
                continue;
            }
            StreamReceiver? stream = region.Streams.Find(record.Sender, out _);
            if (stream is null) continue;
            if (record.HasDetail)
            {
                // The next round announces it to the others: it includes partitions that were walked after this
                // member's own visit.
                region.CleanUp(stream, stream.Cleanup, record.Held);
                parts.Gaps.OnHeldKnown(stream, now);
            }
            if (token.Complete && stream.TakesPartIn(record))
            {
                stream.Lead.Told = Math.Max(stream.Lead.Told, record.Cleanup);
                if (record.Contiguous > stream.Lead.Stable)
                    stream.Lead.Stable = Math.Min(record.Contiguous, record.Highest);
            }
            isWell &= record.Contiguous >= stream.Lead.Feedback.Highest;
            stream.Lead.Feedback = new AckBody(
                stream.Lead.Stable,
                Math.Max(record.Highest, stream.Lead.Stable),
                record.ReadPosition,
                Math.Max(1, growing),
                record.Drops);
            if (stream.Own is not null) node.Acknowledge(region.View, stream.Lead.Feedback, now);
            else acks.Add(stream);
        }
        if (region.View.Members.Length == 1) CleanUpAlone();
        return isWell;
    }

    /// <summary>
    /// Counts the streams that have grown in this round or the one before: they share the members' receive buffers.
    /// </summary>
    private int CountGrowing(Token token, ulong round)
    {
        int growing = 0;
        for (int index = 0; index < token.StreamCount; index++)
        {
            StreamReceiver? stream = token[index].IsOrphan ? null : region.Streams.Find(token[index].Sender, out _);
            if (stream is null || !stream.Reaches(token[index].Highest)) continue;
            stream.NoteHighest(token[index].Highest);
            if (token[index].Highest > stream.Lead.Feedback.Highest) stream.Lead.LastGrowth = round;
            if (stream.Lead.LastGrowth + 2 > round) growing++;
        }
        return growing;
    }

    /// <summary>
    /// For a member that is alone in the view: stable packets are released at once, without announcement.
    /// </summary>
    private void CleanUpAlone()
    {
        Debug.Assert(region.Self == 0, "the only member of the view is this one");
        foreach (StreamReceiver stream in region.Streams)
        {
            if (stream.Orphan is not null) continue;
            region.CleanUp(stream, stream.Lead.Stable, default);
            stream.Lead.Told = stream.Lead.Stable;
        }
    }
}
