using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Recovery;

/// <summary>
/// Asks for what is missing in one region view, and answers who asks.
///
/// Idea: a gap older than the reorder grace is pulled at once from the packet's own partition, in runs, from a member chosen by a hash of asker and
/// place, so that the load spreads
/// without a word; at the next silence, from the next member. Only when the partition itself seems to lack it does anybody turn to the sender: its
/// lowest member first, the
/// next in rank after two more silences, members of other partitions last and only below the cutoff. So the sender hears of one loss once.
///
/// Awkward cases: a member asked for what it lacks remembers the request, and takes it as a hint that its own gap is not a private one. A quarter
/// of a receive buffer is
/// outstanding at most, so that repairs do not cause the next loss. With one partition and nobody in it but the sender, the sender is asked at once.
/// Source: first paper, section 2.2 (pull, forwarding on arrival); pulling without waiting for the token is ours.
/// </summary>
internal sealed class GapRepair : IFeed
{
    private const int OutsiderPatience = 4;
    private const int AnswerSlack = 4096;

    /// <summary>Packets of one pull that are looked at; who misses more asks again when these have come.</summary>
    private const int MostAnswered = 4096;

    /// <summary>
    /// Packets named one by one in one visit; the next round names the rest. What a token says is missing may be as long as the window: of a sender
    /// that nobody hears, or in a token that lies.
    /// </summary>
    private const int MostNamedAlone = 8 * NakBody.MaxRanges;

    private readonly Recoverer _node;
    private readonly RegionRecovery _region;
    private readonly Alarm _tick;
    private readonly List<RequestOrder> _orders = [];
    private readonly Stack<RequestOrder> _spare = new();
    private TimeSpan _roundTrip = TimeSpan.FromMilliseconds(5);
    private int _next;

    public GapRepair(Recoverer node, RegionRecovery region)
    {
        _node = node;
        _region = region;
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

    /// <summary>New sequences are missing.</summary>
    public void OnGap(Instant now)
    {
        if (!_node.Settings.EagerPull) return;
        TimeSpan late = _node.Probes.Here(BuggifySite.GapPulledLate) ? TimeSpan.FromMilliseconds(200) : TimeSpan.Zero;
        _tick.SetIfEarlier(now + _node.Settings.ReorderGrace + late);
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

    /// <summary>Answers a pull: what is here is owed to the asker at once, what is not, when it comes.</summary>
    public void Answer(StreamReceiver stream, int asker, in PullBody pull, Instant now)
    {
        ulong highest = stream.KnownHighest + AnswerSlack;
        PartitionMap map = _region.View.Partitions;
        int left = MostAnswered;
        foreach (SequenceRange range in pull.Ranges)
        {
            ulong start = Math.Max(range.Start, stream.Cleanup + 1);
            ulong end = Math.Min(range.End, highest + 1);
            if (start >= end) continue;
            if (pull.Partition == map.Count)
            {
                // Only what is here: who asks knows from the token who holds it.
                for (ulong sequence = start; sequence < end; sequence++)
                {
                    if (stream.TryGetPacket(sequence, out _)) _node.Repairs.Add(_region, stream, sequence, asker, now);
                }
                continue;
            }
            for (ulong place = stream.FirstPlaceFrom(start, pull.Partition); left > 0; place++, left--)
            {
                ulong sequence = stream.SequenceAt(place, pull.Partition);
                if (sequence >= end) break;
                if (stream.TryGetPacket(sequence, out _))
                {
                    _node.Probes.Hit(Mark.RepairByPull);
                    _node.Repairs.Add(_region, stream, sequence, asker, now);
                }
                else if (!stream.Has(sequence)) Promise(stream, sequence, asker, map, now);
            }
        }
    }

    /// <summary>Asks one member, which was seen to hold them, for runs that this member misses.</summary>
    public void AskHolder(StreamReceiver stream, int holder, int runIndex, Instant now)
    {
        MissingRun run = stream.Missing[runIndex];
        stream.Missing[runIndex] = run with { When = now, Attempts = run.Attempts + 1 };
        Order(stream, _region.View.Members[holder], isNak: false, wide: false, _region.View.Partitions.OfMember(_region.Self), new SequenceRange(run.Start, run.End));
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
            if (View.Partitions.Count == 1)
            {
                Order(stream, stream.Sender, isNak: true, wide: true, partition, sequences);
                continue;
            }
            // A run of places is spread over sequences that other partitions cache: each of ours is named alone.
            for (ulong place = range.Start; place < range.End && left > 0; place++, left--)
            {
                ulong sequence = stream.SequenceAt(place, partition);
                Order(stream, stream.Sender, isNak: true, wide: true, partition, new SequenceRange(sequence, sequence + 1));
            }
        }
    }

    /// <inheritdoc/>
    public bool TryPull(Instant now, out Train train)
    {
        while (_next < _orders.Count)
        {
            RequestOrder order = _orders[_next++];
            bool built = TryBuild(order, out train);
            order.Clear();
            _spare.Push(order);
            if (built) return true;
        }
        _orders.Clear();
        _next = 0;
        train = default;
        return false;
    }

    public void Close() => _tick.Cancel();

    private RegionView View => _region.View;

    private void Promise(StreamReceiver stream, ulong sequence, int asker, PartitionMap map, Instant now)
    {
        _node.Probes.Hit(Mark.PullPromised);
        stream.Pulls.Add(sequence, asker);
        int index = stream.Missing.IndexOf(sequence);
        if (index < 0 || map.OfSequence(sequence) != map.OfMember(_region.Self)) return;
        MissingRun run = stream.Missing[index];
        if (run.Attempts == 0) _tick.SetIfEarlier(now);
    }

    private void Tick(Instant now)
    {
        TimeSpan patience = Patience;
        Instant next = Instant.Never;
        int streams = Math.Max(1, _region.Streams.Count);
        long room = Math.Max(16, _node.Transport.Facts.ReceiveBufferBytes / 4 / streams / (_node.Transport.Facts.SlotBytes + 1024));
        foreach (StreamReceiver stream in _region.Streams)
        {
            if (stream.Missing.Count == 0) continue;
            if (stream.Orphan is not null) AskHolders(stream, stream.Orphan, patience, room, now, ref next);
            else if (!stream.Sender.IsRemoved) AskForDue(stream, patience, room, now, ref next);
        }
        if (next != Instant.Never) _tick.SetIfEarlier(next > now ? next : now + TimeSpan.FromMilliseconds(1));
    }

    private void AskForDue(StreamReceiver stream, TimeSpan patience, long room, Instant now, ref Instant next)
    {
        MissingRanges missing = stream.Missing;
        ulong askable = _region.AskableThrough(stream);
        ulong held = _node.Settings.EagerPull ? askable : Math.Min(askable, HeldByOthers(stream));
        // While a member is silent nobody can say what all of its partition hold: the others are asked all the same.
        if (_region.Ring.SkipsSomebody) held = Math.Max(held, Math.Min(askable, stream.Cutoff));
        for (int index = 0; index < missing.Count; index++)
        {
            MissingRun run = missing[index];
            if (run.IsAwaited(now, patience)) room -= (long)(run.End - run.Start);
        }
        for (int index = 0; index < missing.Count; index++)
        {
            MissingRun run = missing[index];
            if (run.Start > held)
            {
                if (run.Start > askable && now + patience < next) next = now + patience;
                break;
            }
            Instant due = run.DueAt(_node.Settings.ReorderGrace, patience);
            if (due > now)
            {
                if (due < next) next = due;
                continue;
            }
            if (room <= 0)
            {
                Instant later = now + TimeSpan.FromMilliseconds(1);
                if (later < next) next = later;
                return;
            }
            // What is held of a longer run is asked for: were the whole run waited for, members with full caches could each lack what the other may
            // not store yet.
            if (run.End - 1 > held)
            {
                missing.Split(index, held + 1);
                run = missing[index];
            }
            if (run.End - run.Start > (ulong)room)
            {
                _node.Probes.Hit(Mark.PullCutToBudget);
                missing.Split(index, run.Start + (ulong)room);
                run = missing[index];
            }
            room -= (long)(run.End - run.Start);
            missing[index] = run with { When = now, Attempts = run.Attempts + 1 };
            Instant again = now + patience;
            if (again < next) next = again;
            Ask(stream, run);
        }
    }

    /// <summary>Asks for what is missing of a removed sender's stream, of the members that the token has named; what nobody was named for waits.</summary>
    private void AskHolders(StreamReceiver stream, OrphanStream orphan, TimeSpan patience, long room, Instant now, ref Instant next)
    {
        if (orphan.IsClosed) return;
        MissingRanges missing = stream.Missing;
        ulong askable = _region.AskableThrough(stream);
        for (int index = 0; index < missing.Count; index++)
        {
            MissingRun run = missing[index];
            if (run.IsAwaited(now, patience)) room -= (long)(run.End - run.Start);
        }
        for (int index = 0; index < missing.Count; index++)
        {
            MissingRun run = missing[index];
            Instant due = run.DueAt(TimeSpan.Zero, patience);
            if (due > now)
            {
                if (due < next) next = due;
                continue;
            }
            int holder = orphan.Missing.HolderOf(run.Start, out ulong until);
            if (holder < 0 || holder == _region.Self || View.Members[holder].IsRemoved)
            {
                if (until < run.End) missing.Split(index, until);
                continue;
            }
            if (room <= 0 || run.Start > askable)
            {
                Instant later = now + (room <= 0 ? TimeSpan.FromMilliseconds(1) : patience);
                if (later < next) next = later;
                return;
            }
            ulong end = Math.Min(Math.Min(run.End, until), Math.Min(run.Start + (ulong)room, askable == ulong.MaxValue ? askable : askable + 1));
            if (end < run.End)
            {
                missing.Split(index, end);
                run = missing[index];
            }
            room -= (long)(end - run.Start);
            missing[index] = run with { When = now, Attempts = run.Attempts + 1 };
            if (now + patience < next) next = now + patience;
            Order(stream, View.Members[holder], isNak: false, wide: false, View.Partitions.Count, new SequenceRange(run.Start, end));
        }
    }

    private void Ask(StreamReceiver stream, MissingRun run)
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
        int holders = CountHolders(stream, partition);
        bool askSender = holders == 0
            || (mine && attempts >= Silences(stream, range, holders) + (2 * RankInPartition(stream, partition)))
            || (!mine && attempts >= OutsiderPatience && range.End - 1 <= stream.Cutoff);
        if (askSender && !stream.Sender.IsRemoved)
        {
            _node.Probes.Hit(holders == 0 ? Mark.NakForEmptyPartition : mine ? Mark.NakByMember : Mark.NakByOutsider);
            // Only the partition's own packets are missing for sure: where several partitions share the run, each is named alone.
            if (map.Count == 1) Order(stream, stream.Sender, isNak: true, wide: false, partition, range);
            else
                for (ulong sequence = range.Start; sequence < range.End; sequence += (ulong)map.Count)
                    Order(stream, stream.Sender, isNak: true, wide: false, partition, new SequenceRange(sequence, sequence + 1));
        }
        if (holders == 0 || (askSender && attempts % 2 == 1)) return;
        ulong hash = SeededRandom.Mix(_node.SelfKey ^ (range.Start << 8) ^ stream.Sender.Number.Key);
        int choice = (int)((hash + (ulong)attempts) % (ulong)holders);
        _node.Probes.Hit(mine ? Mark.PullInPartition : Mark.PullAcrossPartitions);
        Order(stream, View.Members[Holder(stream, partition, choice)], isNak: false, wide: false, partition, range);
    }

    /// <summary>
    /// How often the lowest member of a partition asks its peers before it asks the sender. A silence or two may be a peer that is busy, or a lost
    /// answer; when a peer has asked for the same packet, it is no accident.
    /// </summary>
    private static int Silences(StreamReceiver stream, SequenceRange range, int holders) =>
        holders == 1 || (!stream.Pulls.IsEmpty && stream.Pulls.Has(range.Start)) ? 1 : 3;

    /// <summary>
    /// Up to here every other partition holds its packets; 0 when there is no other. A partition of which nobody is left holds nothing and will never
    /// hold more: the sender is asked for its packets at once.
    /// </summary>
    private ulong HeldByOthers(StreamReceiver stream)
    {
        int count = View.Partitions.Count;
        ulong held = count > 1 ? ulong.MaxValue : 0;
        for (int partition = 0; partition < count; partition++)
        {
            if (partition == View.Partitions.OfMember(_region.Self) || stream.HeldIn(partition) >= held) continue;
            if (CountHolders(stream, partition) > 0) held = stream.HeldIn(partition);
        }
        return held;
    }

    private bool IsHolder(StreamReceiver stream, int member)
    {
        NodeInfo node = View.Members[member];
        return member != _region.Self && !node.IsRemoved && node != stream.Sender;
    }

    private int CountHolders(StreamReceiver stream, int partition)
    {
        int count = 0;
        for (int position = 0; position < View.Partitions.SizeOf(partition); position++)
        {
            if (IsHolder(stream, View.Partitions.MemberAt(partition, position))) count++;
        }
        return count;
    }

    private int Holder(StreamReceiver stream, int partition, int choice)
    {
        for (int position = 0; ; position++)
        {
            int member = View.Partitions.MemberAt(partition, position);
            if (IsHolder(stream, member) && choice-- == 0) return member;
        }
    }

    private int RankInPartition(StreamReceiver stream, int partition)
    {
        int rank = 0;
        for (int position = 0; position < View.Partitions.SizeOf(partition); position++)
        {
            int member = View.Partitions.MemberAt(partition, position);
            if (member == _region.Self) break;
            if (IsHolder(stream, member)) rank++;
        }
        return rank;
    }

    private void Order(StreamReceiver stream, NodeInfo to, bool isNak, bool wide, int partition, SequenceRange range)
    {
        if (isNak && View.Partitions.Count > 1 && _node.Probes.Breaks(Sabotage.NakToWrongPartition)) range = new SequenceRange(range.Start + 1, range.End + 1);
        for (int index = _next; index < _orders.Count; index++)
        {
            RequestOrder order = _orders[index];
            if (order.Stream == stream && order.To == to && order.IsNak == isNak && order.Wide == wide && order.Partition == partition && order.TryAdd(range)) return;
        }
        if (!_spare.TryPop(out RequestOrder? fresh)) fresh = new RequestOrder();
        fresh.Begin(stream, to, isNak, wide, partition);
        fresh.TryAdd(range);
        _orders.Add(fresh);
        _node.Roots.Register(this, PriorityClass.Request);
    }

    private bool TryBuild(RequestOrder order, out Train train)
    {
        train = default;
        ReadOnlySpan<SequenceRange> ranges = order.StillMissing();
        if (ranges.IsEmpty || order.To!.IsRemoved) return false;
        if (order.IsNak && order.To.Number.Key == _node.SelfKey) return false;
        var writer = new WireWriter(_node.Scratch.AsSpan(DatagramHeader.Length));
        if (order.IsNak) NakBody.Write(ref writer, order.Wide, ranges);
        else PullBody.Write(ref writer, order.Stream!.Sender.Number.Key, order.Partition, ranges);
        if (order.IsNak) _node.Counters.NaksSent++;
        else _node.Counters.PullsSent++;
        train = _node.Seal(_node.Header(View, order.IsNak ? DatagramKind.Nak : DatagramKind.Pull), writer.Written, order.To);
        return true;
    }
}
