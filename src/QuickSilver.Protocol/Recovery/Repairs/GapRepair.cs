using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Recovery.Orphans;
using QuickSilver.Protocol.Recovery.Paths;
using QuickSilver.Protocol.Recovery.Reception;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Recovery.Repairs;

/// <summary>
/// Asks for what is missing in one region view: when, how much at once, and whom.
/// <para>
/// Idea: a gap older than the reorder grace is pulled at once from the packet's own partition, in runs, from a member chosen by a hash of asker and
/// place, so that the load spreads without a word; at the next silence, from the next member. Only when the partition itself seems to lack it does
/// anybody turn to the sender: its lowest member first, the next in rank after two more silences, members of other partitions last and only below
/// the cutoff. So the sender hears of one loss once.
/// </para>
/// <para>
/// Awkward cases: a peer that asks this member for what it lacks gives a hint that its own gap is not a private one. A quarter of a receive buffer is
/// outstanding at most, so that repairs do not cause the next loss. With one partition and nobody in it but the sender, the sender is asked at once.
/// Cost: a pass is linear in the runs that are missing. Source: first paper, section 2.2 (pull); pulling without waiting for the token is ours.
/// </para>
/// </summary>
internal sealed class GapRepair
{
    private const int OutsiderPatience = 4;

    /// <summary>
    /// Packets named one by one in one visit; the next round names the rest. What a token says is missing may be as long as the window: of a sender
    /// that nobody hears, or in a token that lies.
    /// </summary>
    private const int MostNamedAlone = 8 * NakBody.MaxRanges;

    /// <summary>When what there was no room for is looked at again.</summary>
    private static readonly TimeSpan Breath = TimeSpan.FromMilliseconds(1);

    /// <summary>How soon new gaps are looked at while nothing that is asked for comes.</summary>
    private static readonly TimeSpan VainBreath = TimeSpan.FromMilliseconds(100);

    private readonly Recoverer _node;
    private readonly RegionRecovery _region;
    private readonly PartitionPeers _peers;
    private readonly RequestFeed _requests;
    private readonly Alarm _tick;
    private readonly RetryRoom _retries = new();
    private TimeSpan _roundTrip = TimeSpan.FromMilliseconds(5);

    public GapRepair(Recoverer node, RegionRecovery region)
    {
        _node = node;
        _region = region;
        _peers = new PartitionPeers(region.View, region.Self);
        Stuck = new StuckPackets(node, region, _peers);
        _requests = new RequestFeed(node, region.View);
        _tick = new Alarm(node.Alarms, Tick);
    }

    /// <summary>
    /// How long an answer may take before somebody else is asked: four times what answers take, at most 100 ms, since answers also wait for room; but
    /// two round trips of the ring at least, up to half a second: an answer that comes after somebody else was asked is not measured.
    /// </summary>
    public TimeSpan Patience
    {
        get
        {
            long answers = Math.Clamp(_roundTrip.Ticks * 4, 2 * TimeSpan.TicksPerMillisecond, 100 * TimeSpan.TicksPerMillisecond);
            long trips = Math.Min(_region.Ring.UsualRoundTrip.Ticks * 2, 500 * TimeSpan.TicksPerMillisecond);
            return TimeSpan.FromTicks(Math.Max(answers, trips));
        }
    }

    /// <summary>Notices packets that stay missing.</summary>
    public StuckPackets Stuck { get; }

    /// <summary>New sequences are missing.</summary>
    public void OnGap(Instant now)
    {
        if (!_node.Settings.EagerPull) return;
        TimeSpan late = _node.Probes.Here(BuggifySite.GapPulledLate) ? TimeSpan.FromMilliseconds(200) : TimeSpan.Zero;
        _tick.SetIfEarlier(now + (_retries.IsVain(now) ? VainBreath : _node.Settings.ReorderGrace) + late);
    }

    /// <summary>True while nothing that was asked for has come for a while: then nobody is troubled on this member's behalf.</summary>
    public bool AsksInVain(Instant now) => _retries.IsVain(now);

    /// <summary>A repair of a missing packet has come, asked for so often.</summary>
    public void OnAnswer(int attempts, Instant now)
    {
        bool wasVain = _retries.IsVain(now);
        _retries.OnAnswer();
        if (wasVain || attempts > MissingRange.FreeAttempts) _tick.SetIfEarlier(now + Breath);
    }

    /// <summary>A token has told what partitions hold: without eager pull, that is when their packets are asked for.</summary>
    public void OnHeldKnown(StreamReceiver stream, Instant now)
    {
        if (!_node.Settings.EagerPull && View.Partitions.Count > 1 && stream.Missing.Count > 0) _tick.SetIfEarlier(now);
    }

    /// <summary>A token has told who holds packets of a removed sender.</summary>
    public void OnHoldersKnown(Instant now) => _tick.SetIfEarlier(now);

    /// <summary>An answer came after this time.</summary>
    public void Sample(TimeSpan roundTrip) => _roundTrip = TimeSpan.FromTicks(((_roundTrip.Ticks * 7) + roundTrip.Ticks) / 8);

    /// <summary>A peer misses a packet of this member's own partition that this member misses too: it is asked for without grace.</summary>
    public void OnPeerMisses(StreamReceiver stream, ulong sequence, Instant now)
    {
        int index = stream.Missing.IndexOf(sequence);
        if (index < 0 || View.Partitions.OfSequence(sequence) != View.Partitions.OfMember(_region.Self)) return;
        if (stream.Missing[index].Attempts == 0) _tick.SetIfEarlier(now);
    }

    /// <summary>Asks one member, which was seen to hold them, for runs that this member misses.</summary>
    public void AskHolder(StreamReceiver stream, int holder, int runIndex, Instant now)
    {
        MissingRange run = stream.Missing[runIndex];
        stream.Missing[runIndex] = run with { When = now, Attempts = run.Attempts + 1 };
        _requests.Pull(stream, holder, View.Partitions.OfMember(_region.Self), new SequenceRange(run.Start, run.End));
        _tick.SetIfEarlier(now + Patience);
    }

    /// <summary>Asks a stream's sender on behalf of the whole partition.</summary>
    public void AskSenderForPartition(StreamReceiver stream, int partition, ReadOnlySpan<TokenRange> places)
    {
        ulong last = stream.PlacesThrough(stream.KnownHighest, partition);
        int left = MostNamedAlone;
        foreach (TokenRange named in places)
        {
            TokenRange range = named with { End = Math.Min(named.End, last + 1) };
            if (range.Start >= range.End) break;
            _node.Probes.Hit(Mark.NakOfWholePartition);
            var sequences = new SequenceRange(stream.SequenceAt(range.Start, partition), stream.SequenceAt(range.End - 1, partition) + 1);
            left -= AskSender(stream, wide: true, partition, sequences, left);
        }
    }

    public void Close() => _tick.Cancel();

    private RegionView View => _region.View;

    private void Tick(Instant now)
    {
        TimeSpan patience = Patience;
        Instant next = Instant.Never;
        int streams = Math.Max(1, _region.Streams.Count);
        long room = Math.Max(16, _node.Transport.Facts.ReceiveBufferBytes / 4 / streams / (_node.Transport.Facts.SlotBytes + 1024));
        foreach (StreamReceiver stream in _region.Streams)
        {
            if (stream.Missing.Count == 0) continue;
            Stuck.Look(stream, now);
            var pass = new MissingPass(stream.Missing, room, patience, now) { Retries = _retries.Packets };
            if (stream.Orphan is not null) AskHolders(stream, stream.Orphan, ref pass);
            else if (!stream.Sender.IsRemoved) AskForDue(stream, ref pass);
            if (pass.Next < next) next = pass.Next;
        }
        if (next != Instant.Never) _tick.SetIfEarlier(next > now ? next : now + Breath);
    }

    private void AskForDue(StreamReceiver stream, ref MissingPass pass)
    {
        MissingRanges missing = stream.Missing;
        ulong askable = _region.AskableThrough(stream);
        ulong held = _node.Settings.EagerPull ? askable : Math.Min(askable, _peers.HeldByOthers(stream));
        // While a member is silent nobody can say what all of its partition hold: the others are asked all the same.
        if (_region.Ring.SkipsSomebody) held = Math.Max(held, Math.Min(askable, stream.Cutoff));
        int freeAttempts = AsksInVain(pass.Now) ? 0 : MissingRange.FreeAttempts;
        for (int index = 0; index < missing.Count; index++)
        {
            MissingRange run = missing[index];
            if (run.Start > held)
            {
                if (run.Start > askable) pass.LookAgainAt(pass.Now + pass.Patience);
                return;
            }
            bool isRetry = run.Attempts >= freeAttempts;
            if (isRetry)
            {
                // The lowest only: with them the stream goes on.
                if (pass.Retries <= 0) continue;
                if (run.Length > (ulong)pass.Retries)
                {
                    _node.Probes.Hit(Mark.RetryCutToRoom);
                    missing.Split(index, run.Start + (ulong)pass.Retries);
                    run = missing[index];
                }
                pass.Retries -= (long)run.Length;
            }
            if (!pass.IsDue(run, _node.Settings.ReorderGrace)) continue;
            if (pass.Room <= 0)
            {
                pass.LookAgainAt(pass.Now + Breath);
                return;
            }
            // What is held of a longer run is asked for: were the whole run waited for, members with full caches could each lack what the other may
            // not store yet.
            if (run.End - 1 > held) missing.Split(index, held + 1);
            if (missing[index].Length > (ulong)pass.Room)
            {
                _node.Probes.Hit(Mark.PullCutToBudget);
                missing.Split(index, run.Start + (ulong)pass.Room);
            }
            _retries.OnAsked((long)missing[index].Length, isRetry, pass.Now);
            Ask(stream, pass.Take(missing, index));
        }
    }

    /// <summary>
    /// Asks for what is missing of a removed sender's stream, of the members that the token has named; what nobody was named for waits.
    /// </summary>
    private void AskHolders(StreamReceiver stream, OrphanStream orphan, ref MissingPass pass)
    {
        if (orphan.IsClosed) return;
        MissingRanges missing = stream.Missing;
        ulong askable = _region.AskableThrough(stream);
        for (int index = 0; index < missing.Count; index++)
        {
            MissingRange run = missing[index];
            if (!pass.IsDue(run, TimeSpan.Zero)) continue;
            int holder = orphan.Missing.HolderOf(run.Start, out ulong until);
            if (holder < 0 || holder == _region.Self || View.Members[holder].IsRemoved)
            {
                if (until < run.End) missing.Split(index, until);
                continue;
            }
            if (pass.Room <= 0 || run.Start > askable)
            {
                pass.LookAgainAt(pass.Now + (pass.Room <= 0 ? Breath : pass.Patience));
                return;
            }
            ulong end = Math.Min(Math.Min(run.End, until), Math.Min(run.Start + (ulong)pass.Room, askable == ulong.MaxValue ? askable : askable + 1));
            if (end < run.End) missing.Split(index, end);
            pass.Take(missing, index);
            _requests.Pull(stream, holder, View.Partitions.Count, new SequenceRange(run.Start, end));
        }
    }

    private void Ask(StreamReceiver stream, MissingRange run)
    {
        PartitionMap map = View.Partitions;
        if (map.Count == 1)
        {
            AskAbout(stream, 0, new SequenceRange(run.Start, run.End), run.Attempts);
            return;
        }
        ulong length = run.End - run.Start;
        int partitions = (int)Math.Min((ulong)map.Count, length);
        for (int step = 0; step < partitions; step++)
        {
            ulong first = run.Start + (ulong)step;
            ulong last = first + ((run.End - 1 - first) / (ulong)map.Count * (ulong)map.Count);
            AskAbout(stream, map.OfSequence(first), new SequenceRange(first, last + 1), run.Attempts);
        }
    }

    private void AskAbout(StreamReceiver stream, int partition, SequenceRange range, int attempts)
    {
        PartitionMap map = View.Partitions;
        bool mine = map.OfMember(_region.Self) == partition;
        int peers = _peers.Count(stream, partition);
        bool askSender = peers == 0
            || (mine && attempts >= Silences(stream, range, peers) + (2 * _peers.Before(stream, partition)))
            || (!mine && attempts >= OutsiderPatience && range.End - 1 <= stream.Cutoff);
        if (askSender && !stream.Sender.IsRemoved)
        {
            _node.Probes.Hit(peers == 0 ? Mark.NakForEmptyPartition : mine ? Mark.NakByMember : Mark.NakByOutsider);
            AskSender(stream, wide: false, partition, range, int.MaxValue);
        }
        if (peers == 0 || (askSender && attempts % 2 == 1)) return;
        _node.Probes.Hit(mine ? Mark.PullInPartition : Mark.PullAcrossPartitions);
        _requests.Pull(stream, _peers.Choose(stream, partition, peers, range.Start, attempts), partition, range);
    }

    // Of the range the partition's own packets are meant, its first and last among them. Where there are other partitions, theirs lie between, and
    // nobody knows that those are missing: each of its own is named alone. Returns how many were.
    private int AskSender(StreamReceiver stream, bool wide, int partition, SequenceRange range, int mostAlone)
    {
        if (View.Partitions.Count == 1)
        {
            _requests.Nak(stream, wide, partition, range);
            return 0;
        }
        int named = 0;
        for (ulong sequence = range.Start; sequence < range.End && named < mostAlone; sequence += (ulong)View.Partitions.Count, named++)
            _requests.Nak(stream, wide, partition, new SequenceRange(sequence, sequence + 1));
        return named;
    }

    /// <summary>
    /// How often the lowest member of a partition asks its peers before it asks the sender. A silence or two may be a peer that is busy, or a lost
    /// answer; when a peer has asked for the same packet, it is no accident.
    /// </summary>
    private static int Silences(StreamReceiver stream, SequenceRange range, int peers) =>
        peers == 1 || (!stream.Pulls.IsEmpty && stream.Pulls.Has(range.Start)) ? 1 : 3;
}
