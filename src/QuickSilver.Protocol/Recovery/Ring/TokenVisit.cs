using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Recovery.Reception;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Recovery.Ring;

/// <summary>
/// What a member does with a token that visits it: adds its word on every stream, learns what the others said, and compares notes with the member
/// before it.
/// <para>
/// Only neighbours compare, so that what they act on is fresh: what the one before misses and this one holds is pushed, what this one misses and the
/// one before holds is asked from it. What all visited members of the partition miss is kept aside (<see cref="TokenStream.Common"/>) for the walk's
/// end. A stream first met in mid-round counts as contiguous 0 and intake unknown: members visited earlier were not asked. Source: first paper,
/// section 2.2, Figures 6 and 7.
/// </para>
/// </summary>
internal sealed class TokenVisit(Recoverer node, RegionRecovery region, OwnLag lag)
{
    private const int MaxPushes = 512;

    private readonly TokenRangeList _missing = new();
    private readonly TokenRangeList _scratch = new();
    private ulong _dropsTold;

    /// <summary>Leader: a token for a new round, with a record for each stream that needs one.</summary>
    /// <param name="token">Made new.</param>
    /// <param name="round">The round.</param>
    /// <param name="term">The leader's term.</param>
    /// <param name="now">The present instant.</param>
    /// <returns>False when none does.</returns>
    public bool Begin(Token token, ulong round, int term, Instant now)
    {
        token.Clear();
        foreach (StreamReceiver stream in region.Streams)
        {
            if (!stream.NeedsRound(term) || token.StreamCount == Token.MaxStreams) continue;
            if (stream.Orphan is { } orphan)
            {
                region.Orphans.Begin(token, stream, orphan, round);
                continue;
            }
            stream.MoveCutoff(node.Settings.CutoffAge, now);
            TokenStream record = token.Add(stream.Sender.Number.Key, Map.Count);
            // After a takeover the new leader knows at least what the old one told it.
            stream.Stable = Math.Max(stream.Stable, stream.Cleanup);
            record.Cleanup = stream.Stable;
            record.Cutoff = Math.Max(stream.Cutoff, stream.Stable);
            record.Highest = stream.KnownHighest;
            record.Contiguous = stream.KnownHighest;
            record.HasDetail = true;
            // What the last round found out at its end: a leader of another partition visits itself after the first one, whose members would never
            // hear it.
            region.CleanUp(stream, stream.Cleanup, record.Held);
        }
        return token.StreamCount > 0;
    }

    /// <summary>Adds this member's word on every stream.</summary>
    public void Visit(Token token, bool firstOfPartition, int before, Instant now)
    {
        foreach (StreamReceiver stream in region.Streams) stream.InToken = false;
        ulong drops = region.Channel?.Drops ?? 0;
        ulong newDrops = drops - _dropsTold;
        _dropsTold = drops;
        if (newDrops > 0) node.Probes.Hit(Mark.KernelDropsTold);
        lag.Begin(newDrops, now);
        for (int member = 0; member < region.View.Members.Length; member++)
        {
            if (region.View.Members[member].IsRemoved) token.AddRemoved(member);
        }
        for (int index = 0; index < token.StreamCount; index++)
        {
            TokenStream record = token[index];
            if (record.IsOrphan || region.Removed.Contains(record.Sender))
            {
                VisitOrphan(record, now);
                continue;
            }
            StreamReceiver? stream = region.Streams.Find(record.Sender, out _);
            if (stream is null || !stream.TakesPartIn(record))
            {
                // Whoever cannot take part holds nothing, of its partition's packets either.
                record.Place = 0;
                record.Contiguous = Math.Min(record.Contiguous, record.Cleanup);
                lag.OnNothingHeld(record);
                continue;
            }
            stream.InToken = true;
            lag.Look(stream, record);
            AddWord(stream, record, newDrops);
            region.TellOwn(stream, now);
            if (!record.HasDetail) continue;
            Compare(stream, record, firstOfPartition, before, now);
            region.Gaps.OnHeldKnown(stream, now);
        }
        lag.AddTo(token);
        AddStreamsNotMet(token, newDrops);
    }

    /// <summary>The walk of a partition is over: what all of it misses is asked from the senders, and what it holds is told to the others.</summary>
    /// <param name="token">The token.</param>
    /// <param name="isWhole">No live member of the partition was skipped; otherwise one that was may lack what the others let go of.</param>
    public void ClosePartition(Token token, bool isWhole)
    {
        for (int index = 0; index < token.StreamCount; index++)
        {
            TokenStream record = token[index];
            if (!record.HasDetail || record.IsOrphan) continue;
            StreamReceiver? stream = region.Streams.Find(record.Sender, out _);
            if (stream is null) continue;
            // All packets of the partition below the first place that somebody misses.
            ulong place = Math.Min(record.Place, stream.PlacesThrough(stream.KnownHighest, token.Partition));
            ulong through = stream.SequenceAt(place + 1, token.Partition) - 1;
            if (isWhole && through > record.Held[token.Partition]) record.Held[token.Partition] = through;
            if (!stream.Sender.IsRemoved) region.Gaps.AskSenderForPartition(stream, token.Partition, record.Common.Ranges);
        }
    }

    /// <summary>Makes the partition's part of every record new, for the walk of the next one.</summary>
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
        StreamReceiver? stream = region.Removed.StreamOf(record.Sender);
        if (stream is not null) stream.InToken = true;
        record.Orphan();
        region.Orphans.Visit(stream, record, now);
    }

    private void AddWord(StreamReceiver stream, TokenStream record, ulong newDrops)
    {
        record.Highest = Math.Max(record.Highest, stream.KnownHighest);
        bool isBelieved = stream.Reaches(record.Highest) && stream.Believes(record.Highest, region.MostUnderWay);
        if (isBelieved) stream.NoteHighest(record.Highest);
        record.Contiguous = Math.Min(record.Contiguous, stream.Contiguous);
        record.Drops += newDrops;
        stream.LearnCutoff(record.Cutoff);
        if (stream.Own is null)
        {
            record.ReadPosition = record.ReadPosition is { } intake ? Math.Min(intake, stream.ReadPosition) : stream.ReadPosition;
            if (isBelieved) stream.AimReadPosition(record.Highest, node.Take);
        }
        region.CleanUp(stream, record.Cleanup, record.HasDetail ? record.Held : default);
    }

    private void Compare(StreamReceiver stream, TokenStream record, bool firstOfPartition, int before, Instant now)
    {
        TimeSpan patience = region.Gaps.Patience * 2;
        // What there is no room for is neither listed, or it would be pushed in vain, nor asked for.
        ulong judged = Math.Min(record.Cutoff, region.AskableThrough(stream));
        bool isVain = region.Gaps.AsksInVain(now);
        stream.ListMissing(_missing, judged, patience, isVain, now);
        region.Gaps.Stuck.OnListed(stream, judged, now);
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
        int left = MaxPushes;
        int partition = Map.OfMember(region.Self);
        foreach (TokenRange range in theirs.Ranges)
        {
            if (range.Requested) continue;
            for (ulong place = range.Start; place < range.End && left > 0; place++, left--)
            {
                ulong sequence = stream.SequenceAt(place, partition);
                if (sequence > stream.KnownHighest) return;
                if (!stream.TryGetPacket(sequence, out _)) continue;
                node.Probes.Hit(Mark.RepairByPush);
                node.Repairs.Add(region, stream, sequence, before, now);
            }
        }
    }

    /// <summary>
    /// Asks the member before for what I miss and it holds. A run that it lists in part, or that only begins below what is judged, is cut: were it
    /// left for a later round, two members whose caches are full could wait for each other.
    /// </summary>
    private void Ask(StreamReceiver stream, TokenRangeList theirs, ulong judged, int before, TimeSpan patience, Instant now)
    {
        int partition = Map.OfMember(region.Self);
        for (int index = 0; index < stream.Missing.Count; index++)
        {
            MissingRange run = stream.Missing[index];
            if (run.Start > judged) break;
            if (run.IsAwaited(now, patience)) continue;
            ulong start = stream.FirstPlaceFrom(run.Start, partition);
            ulong end = stream.FirstPlaceFrom(Math.Min(run.End, judged + 1), partition);
            if (start >= end || start >= theirs.Covered) continue;
            bool listed = FindListed(theirs, start, Math.Min(end, theirs.Covered), out ulong until);
            ulong cut = stream.SequenceAt(until, partition);
            if (cut > run.Start && cut < run.End) stream.Missing.Split(index, cut);
            if (!listed) region.Gaps.AskHolder(stream, before, index, now);
        }
    }

    /// <summary>Whether a list names the first of some places, and up to which place that stays so.</summary>
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
            node.Probes.Hit(Mark.StreamMetInMidRound);
            record.Drops = newDrops;
            // Members visited before have not been asked: the record tells the leader, and counts for nothing else.
            if (stream.Orphan is not null) record.Orphan();
        }
    }
}
