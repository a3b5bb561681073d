using System.Diagnostics;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Probing;
using QuickSilver.Protocol.Recovery.Reception;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Recovery.Ring;

/// <summary>
/// A member's work on a token that visits it: adds its feedback on every stream, learns that of the others, and
/// compares its missing packets with those of the previous member.
/// <para>
/// Only neighbours compare, so that their lists are recent. Packets that the previous member misses and this one holds
/// are pushed. Packets that this one misses and the previous one holds are requested from it. Packets that all visited
/// members of the partition miss are kept aside (<see cref="TokenStream.Common"/>) for the end of the walk.
/// </para>
/// <para>
/// A stream first met in mid-round counts as contiguous 0 with an unknown read position, since members visited earlier
/// have not reported on it. Source: first paper, section 2.2, Figures 6 and 7.
/// </para>
/// </summary>
internal sealed class TokenVisit(RecoveryContext node, RegionState region, RingParts parts, OwnLag lag)
{
    private const int MaxPushes = 512;

    private readonly TokenRangeList _missing = new();
    private readonly TokenRangeList _scratch = new();
    private ulong _dropsReported;

    /// <summary>On the leader: makes a token for a new round, with a record for each stream that needs one.</summary>
    /// <param name="token">The token to overwrite.</param>
    /// <param name="round">The number of the round.</param>
    /// <param name="term">The leader's term.</param>
    /// <param name="now">The time when the round begins.</param>
    /// <returns>False when no stream needs a round.</returns>
    public bool Begin(Token token, ulong round, int term, Instant now)
    {
        Debug.Assert(region.Ring.IsLeader, "the leader alone makes tokens");
        token.Clear();
        foreach (StreamReceiver stream in region.Streams)
        {
            if (!stream.NeedsRound(term) || token.StreamCount == Token.MaxStreams) continue;
            if (stream.Orphan is { } orphan)
            {
                parts.Orphans.Begin(token, stream, orphan, round);
                continue;
            }
            stream.MoveCutoff(node.Settings.CutoffAge, now);
            TokenStream record = token.Add(stream.Sender.Number.Key, Map.Count);
            // After a takeover the new leader knows at least the stable position that the old one announced.
            stream.Lead.Stable = Math.Max(stream.Lead.Stable, stream.Cleanup);
            record.Cleanup = stream.Lead.Stable;
            record.Cutoff = Math.Max(stream.Cutoff, stream.Lead.Stable);
            record.Highest = stream.KnownHighest;
            record.Contiguous = stream.KnownHighest;
            record.HasDetail = true;
            // Results from the end of the last round. A leader of another partition visits itself after the first
            // partition, whose members would otherwise never receive them.
            region.CleanUp(stream, stream.Cleanup, record.Held);
        }
        return token.StreamCount > 0;
    }

    /// <summary>Adds this member's feedback on every stream.</summary>
    public void Visit(Token token, bool firstOfPartition, int before, Instant now)
    {
        Debug.Assert(token.Phase is TokenPhase.Walk, "a visit belongs to the walk of a partition");
        Debug.Assert(token.StreamCount <= Token.MaxStreams, "a token's records are bounded");
        foreach (StreamReceiver stream in region.Streams) stream.InToken = false;
        ulong drops = region.Drops;
        ulong newDrops = drops - _dropsReported;
        _dropsReported = drops;
        if (newDrops > 0) node.Probes.Reached("a token tells of datagrams that a kernel dropped");
        lag.Begin(newDrops, now);
        for (int member = 0; member < region.View.Members.Length; member++)
        {
            if (region.View.Members[member].IsRemoved) token.AddRemoved(member);
        }
        for (int index = 0; index < token.StreamCount; index++)
        {
            TokenStream record = token[index];
            if (record.IsOrphan || parts.Removed.Contains(record.Sender))
            {
                VisitOrphan(record, now);
                continue;
            }
            StreamReceiver? stream = region.Streams.Find(record.Sender, out _);
            if (stream is null || !stream.TakesPartIn(record))
            {
                // A member that cannot take part holds no packets, of its own partition either.
                record.Place = 0;
                record.Contiguous = Math.Min(record.Contiguous, record.Cleanup);
                lag.OnNothingHeld(record);
                continue;
            }
            stream.InToken = true;
            lag.Look(stream, record);
            AddFeedback(stream, record, newDrops);
            parts.Own.ReportStable(stream, now);
            if (!record.HasDetail) continue;
            Compare(stream, record, firstOfPartition, before, now);
            parts.Gaps.OnHeldKnown(stream, now);
        }
        lag.AddTo(token, now);
        AddStreamsNotMet(token, newDrops);
    }

    /// <summary>
    /// Ends the walk of a partition. Packets that all its members miss are requested from the senders. Positions up to
    /// which all hold its packets are announced to the others.
    /// </summary>
    /// <param name="token">The token of the round.</param>
    /// <param name="isWhole">True when no live member of the partition was skipped. A skipped one may lack packets that
    /// the others would release.</param>
    public void ClosePartition(Token token, bool isWhole)
    {
        Debug.Assert(token.Phase == TokenPhase.Close, "the walk of the partition is over");
        for (int index = 0; index < token.StreamCount; index++)
        {
            TokenStream record = token[index];
            if (!record.HasDetail || record.IsOrphan) continue;
            StreamReceiver? stream = region.Streams.Find(record.Sender, out _);
            if (stream is null) continue;
            // All packets of the partition below the first place that a member misses.
            ulong place = Math.Min(record.Place, stream.PlacesThrough(stream.KnownHighest, token.Partition));
            ulong through = stream.SequenceAt(place + 1, token.Partition) - 1;
            if (isWhole && through > record.Held[token.Partition]) record.Held[token.Partition] = through;
            if (stream.Sender.IsRemoved) continue;
            parts.Gaps.AskSenderForPartition(stream, token.Partition, record.Common.Ranges);
        }
    }

    /// <summary>Clears the partition's part of every record, for the walk of the next one.</summary>
    public static void BeginPartition(Token token)
    {
        for (int index = 0; index < token.StreamCount; index++)
        {
            TokenStream record = token[index];
            record.Place = 0;
            record.Previous.Clear();
            record.Common.Clear();
        }
    }

    private PartitionMap Map => region.View.Partitions;

    private void VisitOrphan(TokenStream record, Instant now)
    {
        StreamReceiver? stream = parts.Removed.StreamOf(record.Sender);
        if (stream is not null) stream.InToken = true;
        record.Orphan();
        parts.Orphans.Visit(stream, record, now);
    }

    private void AddFeedback(StreamReceiver stream, TokenStream record, ulong newDrops)
    {
        record.Highest = Math.Max(record.Highest, stream.KnownHighest);
        bool isBelieved = stream.Reaches(record.Highest) && stream.Believes(record.Highest, region.MostUnderWay);
        if (isBelieved) stream.NoteHighest(record.Highest);
        record.Contiguous = Math.Min(record.Contiguous, stream.Contiguous);
        record.Drops += newDrops;
        stream.LearnCutoff(record.Cutoff);
        if (stream.Own is null)
        {
            ulong position = record.ReadPosition ?? stream.ReadPosition;
            record.ReadPosition = Math.Min(position, stream.ReadPosition);
            if (isBelieved) stream.AimReadPosition(record.Highest, node.Take);
        }
        region.CleanUp(stream, record.Cleanup, record.HasDetail ? record.Held : default);
    }

    private void Compare(StreamReceiver stream, TokenStream record, bool firstOfPartition, int before, Instant now)
    {
        TimeSpan patience = parts.Gaps.Patience * 2;
        // Packets for which there is no room are neither listed nor requested; a push would be in vain.
        ulong judged = Math.Min(record.Cutoff, parts.Room.AskableThrough(stream));
        bool isVain = parts.Gaps.AsksInVain(now);
        stream.ListMissing(_missing, judged, patience, isVain, now);
        parts.Gaps.Stuck.OnListed(stream, judged, now);
        ulong place = stream.ContiguousPlace();
        if (firstOfPartition)
        {
            record.Place = place;
            record.Common.CopyFrom(_missing);
        }
        else
        {
            record.Place = Math.Min(record.Place, place);
            record.Common.IntersectWith(_missing, _scratch);
            Push(stream, record.Previous, before, now);
            if (!isVain) Ask(stream, record.Previous, judged, before, patience, now);
        }
        record.Previous.CopyFrom(_missing);
    }

    private void Push(StreamReceiver stream, TokenRangeList theirs, int before, Instant now)
    {
        int remaining = MaxPushes;
        int partition = Map.OfMember(region.Self);
        foreach (TokenRange range in theirs.Ranges)
        {
            if (range.Requested) continue;
            for (ulong place = range.Start; place < range.End && remaining > 0; place++, remaining--)
            {
                ulong sequence = stream.SequenceAt(place, partition);
                if (sequence > stream.KnownHighest) return;
                if (!stream.TryGetPacket(sequence, out _)) continue;
                node.Probes.Reached("a member pushes a packet that its neighbour in the walk misses");
                parts.Repairs.Add(region, stream, sequence, before, now);
            }
        }
    }

    /// <summary>
    /// Requests packets from the previous member that this one misses and it holds. A range that it lists in part, or
    /// that only begins below the judged position, is cut. If it were left for a later round, two members with full
    /// caches could wait for each other.
    /// </summary>
    private void Ask(
        StreamReceiver stream, TokenRangeList theirs, ulong judged, int before, TimeSpan patience, Instant now)
    {
        Debug.Assert(before >= 0 && before != region.Self, "another member was visited before");
        int partition = Map.OfMember(region.Self);
        for (int index = 0; index < stream.Missing.Count; index++)
        {
            MissingRange range = stream.Missing[index];
            if (range.Start > judged) break;
            if (range.IsAwaited(now, patience)) continue;
            ulong start = stream.FirstPlaceFrom(range.Start, partition);
            ulong end = stream.FirstPlaceFrom(Math.Min(range.End, judged + 1), partition);
            if (start >= end || start >= theirs.Covered) continue;
            bool listed = FindListed(theirs, start, Math.Min(end, theirs.Covered), out ulong until);
            ulong cut = stream.SequenceAt(until, partition);
            if (cut > range.Start && cut < range.End) stream.Missing.Split(index, cut);
            if (!listed) parts.Gaps.AskHolder(stream, before, index, now);
        }
    }

    /// <summary>Determines whether a list names the first of some places, and up to which place that holds.</summary>
    private static bool FindListed(TokenRangeList list, ulong start, ulong end, out ulong until)
    {
        foreach (TokenRange range in list.Ranges)
        {
            if (range.End <= start) continue;
            bool names = range.Start <= start;
            until = Math.Min(end, names ? range.End : range.Start);
            return names;
        }
        until = end;
        return false;
    }

    private void AddStreamsNotMet(Token token, ulong newDrops)
    {
        foreach (StreamReceiver stream in region.Streams)
        {
            if (stream.InToken || !stream.IsActive || token.StreamCount == Token.MaxStreams) continue;
            TokenStream record = token.Add(stream.Sender.Number.Key, Map.Count);
            record.Cleanup = stream.Cleanup;
            record.Cutoff = stream.Cleanup;
            record.Highest = stream.KnownHighest;
            record.Contiguous = 0;
            node.Probes.Reached("a token meets a stream that the members before had not heard of");
            record.Drops = newDrops;
            // Members visited earlier have not reported on it: the record informs the leader, and has no other effect.
            if (stream.Orphan is not null) record.Orphan();
        }
    }
}
