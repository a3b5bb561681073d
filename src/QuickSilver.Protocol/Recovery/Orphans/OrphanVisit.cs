using System.Diagnostics;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Probing;
using QuickSilver.Protocol.Recovery.Arrivals;
using QuickSilver.Protocol.Recovery.Reception;
using QuickSilver.Protocol.Recovery.Repairs;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Recovery.Orphans;

/// <summary>
/// Closes the stream of a sender that was removed before it was done: at the same point, with the same packets, at
/// every live member.
/// <para>
/// Idea: the token carries a list of the packets that any member misses. Each member adds those it misses itself, and
/// claims those that it holds. A member that misses a packet pulls it from the holder named in the list. An entry may
/// be in the list when a round begins and have no holder when the round has visited every member. Then no live member
/// holds the packet: it is abandoned, and the next round announces that. The stream is closed when only abandoned
/// packets are missing and no member knows of a higher sequence. One more round announces that.
/// </para>
/// <para>
/// The verdict is final because two complete rounds come before it. After the first, every live member drops datagrams
/// of the removed sender, and repairs of any removed member. So a packet that no member held at the second visit cannot
/// reach any member afterwards. The count starts again when the leader changes, or when a visited member knows of a
/// removal that the leader did not. In between, repairs of a removed holder may have been accepted.
/// </para>
/// <para>
/// Awkward cases: the list is bounded, and settled from below. A stream of which no member received anything is closed
/// at 0. A member that has closed the stream reports so to the next leader, and the verdict stands. A leader that does
/// not know of the removal yet learns of it from the token.
/// </para>
/// Cost: linear in the ranges listed and the packets they span. Source: this project; the rules are in
/// docs/protocol.md, "Removed senders".
/// </summary>
internal sealed class OrphanVisit(
    RegionState region, Probes probes, RemovedSenders removed, ReadProgress reading, GapRepair gaps)
{
    private const int RoundsBeforeVerdict = 2;

    /// <summary>On the leader, as a round begins: adds a record for a removed sender's stream.</summary>
    public void Begin(Token token, StreamReceiver stream, OrphanStream orphan, ulong round)
    {
        Debug.Assert(region.Ring.IsLeader, "the leader alone makes tokens");
        Debug.Assert(stream.Sender.IsRemoved && stream.Orphan == orphan, "the sender is known to be removed");
        Debug.Assert(orphan.NamedIn < round || orphan.NamedIn == 0, "rounds rise");
        TokenStream record = token.Add(stream.Sender.Number.Key, region.View.Partitions.Count);
        orphan.NamedIn = round;
        orphan.AnnouncesClosed = orphan.IsClosed;
        orphan.HighestAtStart = stream.KnownHighest;
        stream.Lead.Stable = Math.Max(stream.Lead.Stable, stream.Cleanup);
        record.Cleanup = record.Cutoff = stream.Lead.Stable;
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

    /// <summary>On a member, as the token visits it. The sender is known to be removed.</summary>
    /// <param name="stream">The stream; null when this member received nothing of it.</param>
    /// <param name="record">The token's record, which the visit changes.</param>
    /// <param name="now">The time of the visit.</param>
    public void Visit(StreamReceiver? stream, TokenStream record, Instant now)
    {
        Debug.Assert(record.IsOrphan, "the record is of a removed sender");
        Debug.Assert(stream is null || stream.Sender.IsRemoved, "the sender is known to be removed");
        if (stream?.Orphan is not { } orphan)
        {
            record.Contiguous = 0;
            if (record.HasDetail && record.Highest > 0) record.Missing.Want(1, record.Highest + 1);
            return;
        }
        if (orphan.IsClosed)
        {
            // The verdict is final, whichever member leads.
            probes.Reached("a token names a stream that this member has closed");
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
        // The socket yields no more of the stream, so no missing packet can still be in it.
        reading.Raise(stream, stream.KnownHighest, now);
        if (record.IsClosed)
        {
            removed.CloseStream(stream, now);
            return;
        }
        if (record.HasDetail)
        {
            Apply(stream, record.Missing);
            AddMissing(stream, record.Missing);
            Claim(stream, record.Missing);
            orphan.Missing.CopyFrom(record.Missing);
            if (stream.Missing.Count > 0) gaps.OnHoldersKnown(now);
        }
        record.Contiguous = Math.Min(record.Contiguous, stream.Contiguous);
        region.CleanUp(stream, record.Cleanup, default);
    }

    /// <summary>On the leader, at the end of a round.</summary>
    /// <param name="stream">The removed sender's stream.</param>
    /// <param name="record">The record after the round.</param>
    /// <param name="isComplete">True when every member that is not removed was visited.</param>
    /// <param name="round">The number of the round.</param>
    /// <param name="era">The era of the round; 0 when it changed during the round.</param>
    /// <param name="now">The time when the round ended.</param>
    public void Judge(StreamReceiver stream, TokenStream record, bool isComplete, ulong round, int era, Instant now)
    {
        Debug.Assert(region.Ring.IsLeader, "the leader alone judges");
        Debug.Assert(stream.Orphan is not null && record.IsOrphan, "the sender is known to be removed");
        OrphanStream orphan = stream.Orphan!;
        bool isNamed = orphan.NamedIn == round;
        if (!orphan.IsClosed && !stream.Reaches(record.Highest)) return;
        if (record.IsClosed && !orphan.IsClosed)
        {
            stream.NoteHighest(record.Highest);
            reading.Raise(stream, stream.KnownHighest, now);
            removed.CloseStream(stream, now);
        }
        if (orphan.IsClosed)
        {
            if (isComplete && isNamed && orphan.AnnouncesClosed) orphan.AnnouncedIn = region.Ring.Term;
            return;
        }
        stream.NoteHighest(record.Highest);
        if (!record.HasDetail || !isNamed) return;
        orphan.Missing.CopyFrom(record.Missing);
        orphan.Missing.DropUnwanted();
        if (!isComplete || era == 0) return;
        if (orphan.Era != era)
        {
            if (orphan.Rounds > 0) probes.Reached("the counting of rounds before abandonment begins again");
            (orphan.Era, orphan.Rounds) = (era, 0);
        }
        orphan.Rounds++;
        if (record.Contiguous > stream.Lead.Stable) stream.Lead.Stable = record.Contiguous;
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
        bool isSettled = isWhole && record.Contiguous == record.Highest && record.Highest == orphan.HighestAtStart;
        if (isSettled) removed.CloseStream(stream, now);
    }

    private void Apply(StreamReceiver stream, OrphanRangeList list)
    {
        for (int index = 0; index < list.Count; index++)
        {
            OrphanRange range = list[index];
            if (range.Holder == OrphanRange.Abandoned && range.End - 1 <= stream.KnownHighest)
                removed.Abandon(stream, range.Start, range.End);
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
            // No member holds packets above the highest that it knows: the end of the range is not searched.
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
