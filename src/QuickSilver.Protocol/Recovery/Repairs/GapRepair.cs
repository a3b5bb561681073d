using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Probing;
using QuickSilver.Protocol.Recovery.Paths;
using QuickSilver.Protocol.Recovery.Reception;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Recovery.Repairs;

/// <summary>
/// Decides when to request missing packets of one region view, how many at once, and from which member.
/// <para>
/// Idea: a gap older than the reorder grace is pulled at once from the packet's own partition, in ranges. A hash of
/// asker and packet chooses the member, so the load spreads without coordination. After each timeout the next member is
/// asked. Only when the partition itself seems to lack the packet is the sender asked. The partition's lowest member
/// asks first, the next in rank after two more timeouts, members of other partitions last and only below the cutoff. So
/// the sender receives one NAK for one loss.
/// </para>
/// <para>
/// Awkward cases: a pull from a peer for a packet that this member lacks hints that the gap is shared. At most a
/// quarter of a receive buffer is outstanding, so that repairs do not cause the next loss. With one partition and only
/// the sender in it, the sender is asked at once.
/// </para>
/// Cost: a pass is linear in the missing ranges. Source: first paper, section 2.2 (pull); pulling without waiting for
/// the token is new here.
/// </summary>
internal sealed class GapRepair
{
    private const int OutsiderPatience = 4;

    /// <summary>
    /// Limit on packets named one by one in one visit; the next round names the rest. A token may report a whole window
    /// as missing: for a sender that no member receives, or with false content.
    /// </summary>
    private const int MostNamedAlone = 8 * NakBody.MaxRanges;

    /// <summary>Delay before ranges that found no room are tried again.</summary>
    private static readonly TimeSpan RetryDelay = TimeSpan.FromMilliseconds(1);

    /// <summary>Delay before new gaps are pulled while no request is answered.</summary>
    private static readonly TimeSpan UnansweredDelay = TimeSpan.FromMilliseconds(100);

    private readonly RecoveryContext _node;
    private readonly RegionState _region;
    private readonly PacketRoom _room;
    private readonly PartitionPeers _peers;
    private readonly RequestFeed _requests;
    private readonly Alarm _tick;
    private readonly RetryRoom _retries = new();
    private TimeSpan _roundTrip = TimeSpan.FromMilliseconds(5);
    private bool _isMeasured;

    public GapRepair(
        RecoveryContext node, RegionState region, PacketRoom room, InboundPaths inbound, ArrivalJudge arrivals)
    {
        _node = node;
        _region = region;
        _room = room;
        _peers = new PartitionPeers(region.View, region.Self);
        Stuck = new StuckPackets(region, _peers, inbound, arrivals);
        _requests = new RequestFeed(node, region.View, inbound);
        _tick = new Alarm(node.Alarms, Tick);
    }

    /// <summary>
    /// Time an answer may take before another member is asked. It is four times the usual answer time, at most 100 ms,
    /// since answers also wait for room. It is at least two round trips of the ring, up to half a second: an answer
    /// that comes after another member was asked is not measured.
    /// </summary>
    public TimeSpan Patience
    {
        get
        {
            long answers = Math.Clamp(
                _roundTrip.Ticks * 4, 2 * TimeSpan.TicksPerMillisecond, 100 * TimeSpan.TicksPerMillisecond);
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
        _tick.SetIfEarlier(now + (_retries.IsVain(now) ? UnansweredDelay : _node.Settings.ReorderGrace) + late);
    }

    /// <summary>
    /// True while no request has been answered for a while. Then this member's gaps are not passed on to others: it
    /// asks for them by its own tick, with or without eager pull.
    /// </summary>
    public bool AsksInVain(Instant now) => _retries.IsVain(now);

    /// <summary>A repair of a missing packet has come, after <paramref name="attempts"/> requests for it.</summary>
    public void OnAnswer(int attempts, Instant now)
    {
        bool wasVain = _retries.IsVain(now);
        _retries.OnAnswer();
        if (wasVain || attempts > MissingRange.FreeAttempts) _tick.SetIfEarlier(now + RetryDelay);
    }

    /// <summary>
    /// A token has reported what partitions hold. Without eager pull, their packets are requested now, and so are
    /// this partition's that no neighbour is asked to push.
    /// </summary>
    public void OnHeldKnown(StreamReceiver stream, Instant now)
    {
        if (_node.Settings.EagerPull || stream.Missing.Count == 0) return;
        if (View.Partitions.Count > 1 || AsksInVain(now)) _tick.SetIfEarlier(now);
    }

    /// <summary>A token has reported which members hold packets of a removed sender.</summary>
    public void OnHoldersKnown(Instant now) => _tick.SetIfEarlier(now);

    /// <summary>Measures the time of one answer.</summary>
    public void Sample(TimeSpan roundTrip)
    {
        _roundTrip = TimeSpan.FromTicks(((_roundTrip.Ticks * 7) + roundTrip.Ticks) / 8);
        _isMeasured = true;
    }

    /// <summary>
    /// All members were in the view before: what was known there of the time of answers holds here. Where nothing was
    /// asked yet, an answer takes no longer than two hops of the ring.
    /// </summary>
    public void Follow(GapRepair before)
    {
        _roundTrip = before._roundTrip;
        _isMeasured = before._isMeasured;
        TimeSpan hops = 2 * before._region.Ring.UsualRoundTrip;
        if (_isMeasured || hops == TimeSpan.Zero || hops >= _roundTrip) return;
        _node.Probes.Reached("a view begins with the pace of the one before");
        _roundTrip = hops;
    }

    /// <summary>
    /// A peer misses a packet of this member's own partition. If this member misses it too, it is requested without
    /// grace.
    /// </summary>
    public void OnPeerMisses(StreamReceiver stream, ulong sequence, Instant now)
    {
        int index = stream.Missing.IndexOf(sequence);
        if (index < 0 || View.Partitions.OfSequence(sequence) != View.Partitions.OfMember(_region.Self)) return;
        if (stream.Missing[index].Attempts == 0) _tick.SetIfEarlier(now);
    }

    /// <summary>Requests a missing range from a member that is known to hold it.</summary>
    public void AskHolder(StreamReceiver stream, int holder, int rangeIndex, Instant now)
    {
        MissingRange range = stream.Missing[rangeIndex];
        stream.Missing[rangeIndex] = range with { When = now, Attempts = range.Attempts + 1 };
        var sequences = new SequenceRange(range.Start, range.End);
        _requests.Pull(stream, holder, View.Partitions.OfMember(_region.Self), sequences);
        _tick.SetIfEarlier(now + Patience);
    }

    /// <summary>Sends a NAK to a stream's sender on behalf of the whole partition.</summary>
    public void AskSenderForPartition(StreamReceiver stream, int partition, ReadOnlySpan<TokenRange> places)
    {
        ulong last = stream.PlacesThrough(stream.KnownHighest, partition);
        int remaining = MostNamedAlone;
        foreach (TokenRange named in places)
        {
            TokenRange range = named with { End = Math.Min(named.End, last + 1) };
            if (range.Start >= range.End) break;
            _node.Probes.Reached("the sender is asked for what a whole partition misses");
            ulong first = stream.SequenceAt(range.Start, partition);
            var sequences = new SequenceRange(first, stream.SequenceAt(range.End - 1, partition) + 1);
            remaining -= AskSender(stream, wide: true, partition, sequences, remaining);
        }
    }

    public void Close() => _tick.Cancel();

    private RegionView View => _region.View;

    private void Tick(Instant now)
    {
        TimeSpan patience = Patience;
        Instant next = Instant.Never;
        int streams = Math.Max(1, _region.Streams.Count);
        long share = _node.Transport.Facts.ReceiveBufferBytes / 4 / streams;
        long room = Math.Max(16, share / (_node.Transport.Facts.SlotBytes + 1024));
        foreach (StreamReceiver stream in _region.Streams)
        {
            if (stream.Missing.Count == 0) continue;
            Stuck.Look(stream, now);
            var pass = new MissingPass(stream.Missing, room, patience, now) { Retries = _retries.Packets };
            if (stream.Orphan is not null) AskHolders(stream, stream.Orphan, ref pass);
            else if (!stream.Sender.IsRemoved) AskForDue(stream, ref pass);
            if (pass.Next < next) next = pass.Next;
        }
        if (next != Instant.Never) _tick.SetIfEarlier(next > now ? next : now + RetryDelay);
    }

    private void AskForDue(StreamReceiver stream, ref MissingPass pass)
    {
        MissingRanges missing = stream.Missing;
        ulong askable = _room.AskableThrough(stream);
        bool isVain = AsksInVain(pass.Now);
        bool asksOwn = _node.Settings.EagerPull || isVain;
        ulong held = asksOwn ? askable : Math.Min(askable, _peers.HeldByOthers(stream));
        // While a member is silent, the holdings of its partition are unknown: the others are asked all the same.
        if (_region.Ring.SkipsSomebody) held = Math.Max(held, Math.Min(askable, stream.Cutoff));
        int freeAttempts = isVain ? 0 : MissingRange.FreeAttempts;
        for (int index = 0; index < missing.Count; index++)
        {
            MissingRange range = missing[index];
            if (range.Start > held)
            {
                if (range.Start > askable) pass.LookAgainAt(pass.Now + pass.Patience);
                return;
            }
            bool isRetry = range.Attempts >= freeAttempts;
            if (isRetry)
            {
                // Only the lowest packets are retried: the stream advances by them.
                if (pass.Retries <= 0) continue;
                if (range.Length > (ulong)pass.Retries)
                {
                    _node.Probes.Reached("a member asks only for the lowest of what it asked for in vain");
                    missing.Split(index, range.Start + (ulong)pass.Retries);
                    range = missing[index];
                }
                pass.Retries -= (long)range.Length;
            }
            if (!pass.IsDue(range, _node.Settings.ReorderGrace)) continue;
            if (pass.Room <= 0)
            {
                pass.LookAgainAt(pass.Now + RetryDelay);
                return;
            }
            // The part of a longer range that others hold is requested now. If the whole range were waited for, two
            // members with full caches could each lack packets that the other may not store yet.
            if (range.End - 1 > held) missing.Split(index, held + 1);
            if (missing[index].Length > (ulong)pass.Room)
            {
                _node.Probes.Reached("more is missing than may be outstanding at once");
                missing.Split(index, range.Start + (ulong)pass.Room);
            }
            _retries.OnAsked((long)missing[index].Length, isRetry, pass.Now);
            Ask(stream, pass.Take(missing, index));
        }
    }

    /// <summary>
    /// Requests missing packets of a removed sender's stream from the members that the token names. Packets without a
    /// known holder wait.
    /// </summary>
    private void AskHolders(StreamReceiver stream, OrphanStream orphan, ref MissingPass pass)
    {
        if (orphan.IsClosed) return;
        MissingRanges missing = stream.Missing;
        ulong askable = _room.AskableThrough(stream);
        for (int index = 0; index < missing.Count; index++)
        {
            MissingRange range = missing[index];
            if (!pass.IsDue(range, TimeSpan.Zero)) continue;
            int holder = orphan.Missing.HolderOf(range.Start, out ulong until);
            if (holder < 0 || holder == _region.Self || View.Members[holder].IsRemoved)
            {
                if (until < range.End) missing.Split(index, until);
                continue;
            }
            if (pass.Room <= 0 || range.Start > askable)
            {
                pass.LookAgainAt(pass.Now + (pass.Room <= 0 ? RetryDelay : pass.Patience));
                return;
            }
            ulong limit = Math.Min(
                range.Start + (ulong)pass.Room, askable == ulong.MaxValue ? askable : askable + 1);
            ulong end = Math.Min(Math.Min(range.End, until), limit);
            if (end < range.End) missing.Split(index, end);
            pass.Take(missing, index);
            _requests.Pull(stream, holder, View.Partitions.Count, new SequenceRange(range.Start, end));
        }
    }

    private void Ask(StreamReceiver stream, MissingRange range)
    {
        PartitionMap map = View.Partitions;
        if (map.Count == 1)
        {
            AskAbout(stream, 0, new SequenceRange(range.Start, range.End), range.Attempts);
            return;
        }
        ulong length = range.End - range.Start;
        int partitions = (int)Math.Min((ulong)map.Count, length);
        for (int step = 0; step < partitions; step++)
        {
            ulong first = range.Start + (ulong)step;
            ulong last = first + ((range.End - 1 - first) / (ulong)map.Count * (ulong)map.Count);
            AskAbout(stream, map.OfSequence(first), new SequenceRange(first, last + 1), range.Attempts);
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
            _node.Probes.Reached(
                peers == 0 ? "the sender is asked since nobody is left in the packet's partition"
                    : mine ? "the member of a packet's partition whose turn it is asks the sender"
                    : "a member of another partition asks the sender after its peers are silent");
            AskSender(stream, wide: false, partition, range, int.MaxValue);
        }
        if (peers == 0 || (askSender && attempts % 2 == 1)) return;
        _node.Probes.Reached(
            mine ? "a member asks one of its own partition" : "a member asks one of another partition");
        _requests.Pull(stream, _peers.Choose(stream, partition, peers, range.Start, attempts), partition, range);
    }

    // The range stands for the partition's own packets; its first and last are among them. Where there are other
    // partitions, their packets lie between and need not be missing, so each own packet is named alone. Returns the
    // number named.
    private int AskSender(StreamReceiver stream, bool wide, int partition, SequenceRange range, int limit)
    {
        if (View.Partitions.Count == 1)
        {
            _requests.Nak(stream, wide, partition, range);
            return 0;
        }
        int named = 0;
        ulong step = (ulong)View.Partitions.Count;
        for (ulong sequence = range.Start; sequence < range.End && named < limit; sequence += step, named++)
            _requests.Nak(stream, wide, partition, new SequenceRange(sequence, sequence + 1));
        return named;
    }

    /// <summary>
    /// Number of requests that the lowest member of a partition sends to its peers before it asks the sender. A timeout
    /// or two may be a busy peer or a lost answer. When a peer has asked for the same packet, the loss is shared.
    /// </summary>
    private static int Silences(StreamReceiver stream, SequenceRange range, int peers) =>
        peers == 1 || (!stream.Pulls.IsEmpty && stream.Pulls.Has(range.Start)) ? 1 : 3;
}
