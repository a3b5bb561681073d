using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Dissemination.Streams;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Probing;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Recovery.Reception;

/// <summary>
/// One stream (one sender to one region view) on a member of the region: the packets received, missing, and kept for
/// peers.
/// <para>
/// Packets of this member's own partition are kept until the cleanup point passes them. Packets of another partition
/// are kept until the token shows that all its live members hold them; delivery keeps its own reference. The member's
/// own stream is not received: all its packets are in its sender's pending set.
/// </para>
/// </summary>
internal sealed class StreamReceiver
{
    private const int SuspiciousRelays = 32;

    /// <summary>Time after the last unicast copy during which the stream counts as carried by copies.</summary>
    private static readonly TimeSpan CopiesLast = TimeSpan.FromMilliseconds(100);

    private static readonly TimeSpan DirectCounts = TimeSpan.FromSeconds(1);

    /// <summary>The counts by which the stream's arrivals are judged.</summary>
    public ArrivalWindow Arrivals;

    /// <summary>The same for packets that are sent to addresses of groups.</summary>
    public ArrivalWindow HybridArrivals;

    /// <summary>What this member has found of the stream as leader.</summary>
    public LeaderRecord Lead;

    /// <summary>How long the first missing packet has been missing.</summary>
    public StuckMark Stuck;

    private readonly PartitionMap _map;
    private readonly int _partition;
    private readonly ulong[] _held;
    private readonly int _members;
    private readonly Probes _probes;
    private ulong[]? _given;
    private ulong _foreignFloor;
    private int _longestDirect;
    private int _relayedLonger;
    private Instant _directAt;
    private ulong _cutoffCandidate;
    private Instant _cutoffCandidateAt;
    private ulong _claimed;

    public StreamReceiver(RegionView view, int self, NodeInfo sender, StreamSender? own, Probes probes)
    {
        Sender = sender;
        Own = own;
        _probes = probes;
        _members = view.Members.Length;
        _map = view.Partitions;
        _partition = _map.OfMember(self);
        _held = new ulong[_map.Count];
        Window = new ReceptionWindow();
    }

    public NodeInfo Sender { get; }

    /// <summary>Set when this member is the stream's sender.</summary>
    public StreamSender? Own { get; }

    public ReceptionWindow Window { get; }

    public PacketCache Cache { get; } = new();

    public MissingRanges Missing { get; } = new();

    public RememberedPulls Pulls { get; } = new();

    /// <summary>Packets and beacons that came from the sender directly, first or repeated, repairs excluded.</summary>
    public ulong Direct { get; set; }

    /// <summary>Packets of these that were sent to addresses of groups.</summary>
    public ulong HybridDirect { get; set; }

    /// <summary>Time when a packet last came directly by unicast; zero: never.</summary>
    public Instant CopiedAt { get; set; }

    /// <summary>True while the stream comes by unicast copies: that socket determines the read position.</summary>
    public bool IsCopied(Instant now) => CopiedAt != Instant.Zero && now - CopiedAt < CopiesLast;

    /// <summary>How far the stream has been read from the data socket, lost packets included.</summary>
    public ulong ReadPosition { get; private set; }

    /// <summary>
    /// A position named by a token while the socket still held packets. It becomes the read position once the socket is
    /// found empty.
    /// </summary>
    public ulong ReadPositionTarget { get; private set; }

    /// <summary>
    /// The batch of completions that brought the token. A socket found empty before it does not prove that the position
    /// was read.
    /// </summary>
    public ulong ReadPositionTargetTake { get; private set; }

    /// <summary>Highest sequence that any node is known to have sent or received.</summary>
    public ulong KnownHighest { get; private set; }

    /// <summary>Every live member holds all packets up to here, and every live member knows it.</summary>
    public ulong Cleanup { get; private set; }

    /// <summary>Set once the sender is known to be removed.</summary>
    public OrphanStream? Orphan { get; set; }

    /// <summary>
    /// Leader only: true until the stream is stable, or the removed sender's stream closed, and all members have been
    /// notified.
    /// </summary>
    /// <param name="term">The leader's term: announcements of a former leader do not count.</param>
    public bool NeedsRound(int term) => Orphan is null ? KnownHighest > Lead.Told : Orphan.AnnouncedIn != term;

    /// <summary>The position up to which packets may be reported missing, as the leader's tokens give it.</summary>
    public ulong Cutoff { get; private set; }

    /// <summary>Marks a stream that the token being visited contains.</summary>
    public bool InToken { get; set; }

    /// <summary>The position up to which this member holds all packets.</summary>
    public ulong Contiguous => Own?.Highest ?? Window.Contiguous;

    /// <summary>True while a member may still need recovery of this stream, or does not know that none does.</summary>
    public bool IsActive => Orphan is null ? KnownHighest > Cleanup : !Orphan.IsClosed;

    /// <summary>True when a sequence is one that the sender can have reached.</summary>
    public bool Reaches(ulong sequence) => Own is not null ? sequence <= Own.Highest : Window.Reaches(sequence);

    /// <summary>
    /// False for a sequence that lies further beyond the known ones than a sender's window, until a second one near it
    /// confirms it. Otherwise one forged datagram would cause requests for thousands of packets that were never sent.
    /// </summary>
    /// <param name="sequence">The sequence that a packet, a beacon or a token reports as reached.</param>
    /// <param name="window">Limit on the packets that a sender has under way.</param>
    public bool Believes(ulong sequence, ulong window)
    {
        if (sequence <= KnownHighest + window || Own is not null || Orphan is not null) return true;
        ulong apart = sequence > _claimed ? sequence - _claimed : _claimed - sequence;
        bool isConfirmed = _claimed != 0 && apart <= window;
        _probes.Reached(
            isConfirmed
                ? "a second word of a packet far beyond all known confirms it"
                : "one word of a packet far beyond all known is not believed");
        _claimed = sequence;
        return isConfirmed;
    }

    /// <summary>
    /// True when this member's feedback on a record counts. A record may name packets that were never sent: the sender
    /// still acknowledges those that were, or its stream would never be stable.
    /// </summary>
    public bool TakesPartIn(TokenStream record) =>
        Own is not null ? record.Cleanup <= Own.Highest : Window.Reaches(record.Highest);

    /// <summary>A packet of this length came from the sender itself, in one piece.</summary>
    public void NoteDirect(int length, Instant now)
    {
        if (length < _longestDirect) return;
        _longestDirect = length;
        _directAt = now;
        _relayedLonger = 0;
    }

    /// <summary>A packet of this length came from a peer.</summary>
    /// <returns>True at every 32nd repair that is longer than all packets that lately came from the sender. Then the
    /// way from the sender is suspicious.</returns>
    public bool NoteRelayed(int length, Instant now)
    {
        if (now - _directAt > DirectCounts) _longestDirect = 0;
        return length > _longestDirect && ++_relayedLonger % SuspiciousRelays == 0;
    }

    /// <summary>Raises the highest known sequence.</summary>
    /// <returns>True when it rose.</returns>
    public bool NoteHighest(ulong sequence)
    {
        if (sequence <= KnownHighest) return false;
        KnownHighest = sequence;
        return true;
    }

    /// <summary>
    /// The data socket has been read up to a sequence. Lower sequences that have not arrived are missing.
    /// </summary>
    /// <returns>Number of sequences found missing.</returns>
    public ulong RaiseReadPosition(ulong sequence, Instant now)
    {
        if (sequence <= ReadPosition) return 0;
        ulong found = 0;
        if (Own is null)
        {
            ulong next = Math.Max(ReadPosition + 1, Window.Contiguous + 1);
            while (next <= sequence)
            {
                if (Window.Contains(next))
                {
                    next++;
                    continue;
                }
                ulong end = next + 1;
                if (next > Window.Highest) end = sequence + 1;
                while (end <= sequence && !Window.Contains(end)) end++;
                Missing.AddGap(next, end, now);
                found += end - next;
                next = end;
            }
        }
        ReadPosition = sequence;
        return found;
    }

    /// <summary>Marks packets as received that no live member holds or can still receive.</summary>
    /// <returns>Number of them that were missing here.</returns>
    public ulong Abandon(ulong start, ulong end)
    {
        ulong abandoned = 0;
        ulong sequence = Math.Max(start, Window.Contiguous + 1);
        for (; sequence < end && Window.Reaches(sequence); sequence++)
        {
            if (Window.TryMark(sequence) == MarkOutcome.New) abandoned++;
            Missing.Fill(sequence, out _);
        }
        return abandoned;
    }

    /// <summary>
    /// Abandons all missing packets, as <see cref="Abandon"/>. O(1) a sequence, however many gaps there are.
    /// </summary>
    /// <returns>Number of packets abandoned.</returns>
    public ulong AbandonMissing()
    {
        ulong abandoned = 0;
        for (int index = 0; index < Missing.Count; index++)
        {
            for (ulong sequence = Missing[index].Start; sequence < Missing[index].End; sequence++)
            {
                if (Window.TryMark(sequence) == MarkOutcome.New) abandoned++;
            }
        }
        Missing.Clear();
        return abandoned;
    }

    /// <summary>A token names a sequence that the data socket may still hold.</summary>
    public void AimReadPosition(ulong sequence, ulong take)
    {
        if (sequence <= Math.Max(ReadPosition, ReadPositionTarget)) return;
        ReadPositionTarget = sequence;
        ReadPositionTargetTake = take;
    }

    /// <summary>A packet that this member holds, from its cache or its own pending set.</summary>
    public bool TryGetPacket(ulong sequence, out Slice datagram) =>
        Own is not null ? Own.TryGetPacket(sequence, out datagram) : Cache.TryGet(sequence, out datagram);

    /// <summary>A packet is about to be sent to a member.</summary>
    /// <returns>True when it is above all packets of this stream that the member was sent from here.</returns>
    public bool NoteGiven(int member, ulong sequence)
    {
        ref ulong given = ref (_given ??= new ulong[_members])[member];
        if (sequence <= given) return false;
        given = sequence;
        return true;
    }

    /// <summary>True when this member has received the packet, whether it keeps it or not.</summary>
    public bool Has(ulong sequence) => Own is not null ? sequence <= Own.Highest : Window.Contains(sequence);

    /// <summary>
    /// All live members hold the packets up to here, and a round has announced it: caches release them.
    /// </summary>
    public void CleanUp(ulong sequence)
    {
        if (sequence <= Cleanup) return;
        Cleanup = sequence;
        NoteHighest(sequence);
        Cache.ReleaseThrough(Math.Min(sequence, Contiguous));
        if (!Pulls.IsEmpty) Pulls.ForgetThrough(sequence);
    }

    /// <summary>
    /// Merges a token's positions up to which all members of each partition hold its packets. Writes better known
    /// positions into the token, and releases packets of other partitions.
    /// </summary>
    public void MergeHeld(Span<ulong> held)
    {
        for (int partition = 0; partition < _held.Length; partition++)
        {
            if (held[partition] > _held[partition]) _held[partition] = held[partition];
            else held[partition] = _held[partition];
        }
        if (_held.Length == 1 || Own is not null) return;
        ulong last = Window.Contiguous;
        for (ulong next = Math.Max(_foreignFloor, Cleanup) + 1; next <= last; next++)
        {
            int partition = _map.OfSequence(next);
            if (partition != _partition)
            {
                if (_held[partition] < next) break;
                _probes.Reached("a packet is let go, since its own partition holds it");
                Cache.Release(next);
            }
            _foreignFloor = next;
        }
    }

    /// <summary>The position up to which all members of a partition are known to hold its packets.</summary>
    public ulong HeldIn(int partition) => _held[partition];

    /// <summary>
    /// On the leader, at the start of a round: moves the cutoff to the highest sequence known at least
    /// <paramref name="age"/> and one round ago.
    /// </summary>
    public void MoveCutoff(TimeSpan age, Instant now)
    {
        if (_cutoffCandidateAt == Instant.Zero)
        {
            _cutoffCandidate = KnownHighest;
            _cutoffCandidateAt = now;
        }
        else if (now - _cutoffCandidateAt >= age)
        {
            Cutoff = Math.Max(Cutoff, _cutoffCandidate);
            _cutoffCandidate = KnownHighest;
            _cutoffCandidateAt = now;
        }
    }

    /// <summary>Learns the cutoff that a token carries.</summary>
    public void LearnCutoff(ulong cutoff) => Cutoff = Math.Max(Cutoff, cutoff);

    /// <summary>Number of contiguous places of this member's own partition.</summary>
    public ulong ContiguousPlace() =>
        PlacesThrough(Own?.Highest ?? Window.ContiguousIn(_partition, _map.Count), _partition);

    /// <summary>Lists the packets that this member misses of its own partition, up to a bound.</summary>
    /// <param name="list">The list to overwrite.</param>
    /// <param name="bound">The position up to which this member judges.</param>
    /// <param name="patience">Time during which an answer to a request is awaited.</param>
    /// <param name="isVain">True while no request is answered: then all missing packets count as awaited.</param>
    /// <param name="now">The time of the visit.</param>
    public void ListMissing(TokenRangeList list, ulong bound, TimeSpan patience, bool isVain, Instant now)
    {
        list.Clear();
        ulong judged = Math.Min(bound, Own?.Highest ?? ReadPosition);
        list.Covered = PlacesThrough(judged, _partition) + 1;
        for (int index = 0; index < Missing.Count; index++)
        {
            MissingRange range = Missing[index];
            if (range.Start > judged) break;
            ulong start = FirstPlaceFrom(range.Start, _partition);
            ulong end = FirstPlaceFrom(Math.Min(range.End, judged + 1), _partition);
            var places = new TokenRange(start, end, isVain || range.IsAwaited(now, patience));
            if (start < end && !list.Add(places)) break;
        }
    }

    /// <summary>Number of packets of a partition with sequences up to <paramref name="sequence"/>.</summary>
    public ulong PlacesThrough(ulong sequence, int partition)
    {
        ulong first = (ulong)partition + 1;
        return sequence < first ? 0 : ((sequence - first) / (ulong)_map.Count) + 1;
    }

    /// <summary>The first place of a partition whose sequence is not below <paramref name="sequence"/>.</summary>
    public ulong FirstPlaceFrom(ulong sequence, int partition) => PlacesThrough(sequence - 1, partition) + 1;

    /// <summary>The sequence at a place of a partition.</summary>
    public ulong SequenceAt(ulong place, int partition) => ((place - 1) * (ulong)_map.Count) + (ulong)partition + 1;

    /// <summary>Releases all packets.</summary>
    public void Close() => Cache.ReleaseThrough(ulong.MaxValue - 1);
}
