using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Recovery.Reception;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Recovery.Orphans;

/// <summary>
/// What members and leader do with the stream of a sender that was removed before it was done, until it is closed: at the same point, with the same
/// packets, at every live member.
/// <para>
/// Idea: a list goes round, in the token, of what any member misses. Each member adds what it misses, and says of what others miss that it holds it;
/// who misses something pulls it from the member named. What was in the list when a round began, and has no holder when the round has visited every
/// member, no live member holds: it is abandoned, which the next round tells. When nothing is missing that is not abandoned, and nobody knows of
/// more, the stream is closed, and one more round tells that.
/// </para>
/// <para>
/// Why it is final: two complete rounds are counted before anything is abandoned. After the first every live member drops what comes from the removed
/// sender, and repairs that come from any removed member; so a packet that nobody held when the second passed cannot come to anybody afterwards. The
/// counting begins anew when the leader changes, or anybody who was visited knows of a removal that the leader did not: a removed holder's repairs
/// may have been taken meanwhile.
/// </para>
/// <para>
/// Awkward cases: the list is bounded, and settled from below. A stream that nobody has heard of is closed at 0. A member that has closed the stream
/// says so to whoever leads next, and the verdict stands. A leader that does not know of the removal yet learns of it from the token.
/// Cost: linear in the runs listed and the packets they span. Source: ours; the rules are in docs/protocol.md, "Removed senders".
/// </para>
/// </summary>
internal sealed class OrphanVisit(RegionRecovery region, Probes probes)
{
    private const int RoundsBeforeVerdict = 2;

    /// <summary>Leader, as a round begins: adds a record for a removed sender's stream.</summary>
    public void Begin(Token token, StreamReceiver stream, OrphanStream orphan, ulong round)
    {
        TokenStream record = token.Add(stream.Sender.Number.Key, region.View.Partitions.Count);
        orphan.NamedIn = round;
        orphan.SaysClosed = orphan.IsClosed;
        orphan.HighestAtStart = stream.KnownHighest;
        stream.Stable = Math.Max(stream.Stable, stream.Cleanup);
        record.Cleanup = record.Cutoff = stream.Stable;
        record.Highest = record.Contiguous = stream.KnownHighest;
        if (orphan.IsClosed)
        {
            record.Close(stream.KnownHighest);
            return;
        }
        record.Orphan();
        record.Missing.CopyFrom(orphan.Missing);
        record.Missing.BeginRound();
    }

    /// <summary>A member, as the token visits it. The sender is known to be removed.</summary>
    /// <param name="stream">The stream; null when this member has never heard of its sender, and so holds nothing.</param>
    /// <param name="record">The token's record, which the visit changes.</param>
    /// <param name="now">The present instant.</param>
    public void Visit(StreamReceiver? stream, TokenStream record, Instant now)
    {
        if (stream?.Orphan is not { } orphan)
        {
            record.Contiguous = 0;
            if (record.HasDetail && record.Highest > 0) record.Missing.Want(1, record.Highest + 1);
            return;
        }
        if (orphan.IsClosed)
        {
            // The verdict is final, whoever comes to lead.
            probes.Hit(Mark.ClosedStreamMetAgain);
            if (!record.IsClosed) record.Close(stream.KnownHighest);
            return;
        }
        if (!stream.Reaches(record.Highest))
        {
            record.Contiguous = 0;
            return;
        }
        stream.NoteHighest(record.Highest);
        record.Highest = stream.KnownHighest;
        // Nothing more is read from the socket, so nothing that is missing can still be in it.
        region.RaiseIntake(stream, stream.KnownHighest, now);
        if (record.IsClosed)
        {
            region.Removed.CloseStream(stream, now);
            return;
        }
        if (record.HasDetail)
        {
            Apply(stream, record.Missing);
            AddMissing(stream, record.Missing);
            Claim(stream, record.Missing);
            orphan.Missing.CopyFrom(record.Missing);
            if (stream.Missing.Count > 0) region.Gaps.OnHoldersKnown(now);
        }
        record.Contiguous = Math.Min(record.Contiguous, stream.Contiguous);
        region.CleanUp(stream, record.Cleanup, default);
    }

    /// <summary>Leader, at the end of a round.</summary>
    /// <param name="stream">The stream.</param>
    /// <param name="record">The record as it came back.</param>
    /// <param name="isComplete">Every member that is not removed was visited.</param>
    /// <param name="round">The round.</param>
    /// <param name="era">The era; 0 when it changed during the round.</param>
    /// <param name="now">The present instant.</param>
    public void Judge(StreamReceiver stream, TokenStream record, bool isComplete, ulong round, int era, Instant now)
    {
        OrphanStream orphan = stream.Orphan!;
        bool isNamed = orphan.NamedIn == round;
        if (!orphan.IsClosed && !stream.Reaches(record.Highest)) return;
        if (record.IsClosed && !orphan.IsClosed)
        {
            stream.NoteHighest(record.Highest);
            region.RaiseIntake(stream, stream.KnownHighest, now);
            region.Removed.CloseStream(stream, now);
        }
        if (orphan.IsClosed)
        {
            if (isComplete && isNamed && orphan.SaysClosed) orphan.ToldIn = region.Ring.Term;
            return;
        }
        stream.NoteHighest(record.Highest);
        if (!record.HasDetail || !isNamed) return;
        orphan.Missing.CopyFrom(record.Missing);
        orphan.Missing.DropUnwanted();
        if (!isComplete || era == 0) return;
        if (orphan.Era != era)
        {
            if (orphan.Rounds > 0) probes.Hit(Mark.AbandonmentBegunAnew);
            (orphan.Era, orphan.Rounds) = (era, 0);
        }
        orphan.Rounds++;
        if (record.Contiguous > stream.Stable) stream.Stable = record.Contiguous;
        if (orphan.Rounds < RoundsBeforeVerdict) return;
        for (int index = 0; index < orphan.Missing.Count; index++)
        {
            OrphanRange range = orphan.Missing[index];
            if (range.IsOld && range.Holder == OrphanRange.Unknown)
            {
                orphan.Missing.Assign(index, range.Start, range.End, OrphanRange.Abandoned);
            }
        }
        bool isWhole = orphan.Missing.Count == 0 && record.Missing.IsComplete;
        if (isWhole && record.Contiguous == record.Highest && record.Highest == orphan.HighestAtStart) region.Removed.CloseStream(stream, now);
    }

    private void Apply(StreamReceiver stream, OrphanRangeList list)
    {
        for (int index = 0; index < list.Count; index++)
        {
            OrphanRange range = list[index];
            if (range.Holder == OrphanRange.Abandoned && range.End - 1 <= stream.KnownHighest) region.Removed.Abandon(stream, range.Start, range.End);
        }
    }

    private static void AddMissing(StreamReceiver stream, OrphanRangeList list)
    {
        for (int index = 0; index < stream.Missing.Count && stream.Missing[index].Start < list.Covered; index++)
        {
            list.Want(stream.Missing[index].Start, stream.Missing[index].End);
        }
    }

    private void Claim(StreamReceiver stream, OrphanRangeList list)
    {
        for (int index = 0; index < list.Count && index < OrphanRangeList.MaxRanges; index++)
        {
            OrphanRange range = list[index];
            if (range.Holder >= region.View.Members.Length) continue;
            if (range.Holder >= 0 && (range.Holder == region.Self || region.View.Members[range.Holder].IsRemoved))
            {
                index = list.Assign(index, range.Start, range.End, OrphanRange.Unknown);
                range = list[index];
            }
            if (range.Holder != OrphanRange.Unknown) continue;
            // Nobody holds what nobody has seen: a range that runs on beyond it costs nothing.
            ulong last = Math.Min(range.End, stream.KnownHighest + 1);
            ulong start = range.Start;
            while (start < last && !stream.TryGetPacket(start, out _)) start++;
            if (start >= last) continue;
            ulong end = start + 1;
            while (end < last && stream.TryGetPacket(end, out _)) end++;
            index = list.Assign(index, start, end, region.Self);
        }
        list.Trim();
    }
}
