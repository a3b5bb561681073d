using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Dissemination;
using QuickSilver.Protocol.Dissemination.Streams;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Recovery.Orphans;
using QuickSilver.Protocol.Recovery.Paths;
using QuickSilver.Protocol.Recovery.Repairs;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Recovery.Reception;

/// <summary>
/// One stream (one sender to one region view) as a member of the region sees it: what has arrived, what is missing, what is kept for others.
/// <para>
/// What is kept: packets of this member's own partition until the cleanup point passes them; packets of another partition until the token shows that
/// all its live members hold them (delivery keeps its own reference). The member's own stream is not received at all: it holds everything, in its
/// sender's pending set.
/// </para>
/// </summary>
internal sealed class StreamReceiver
{
    /// <summary>For so long after a copy came by unicast the stream counts as carried so.</summary>
    private static readonly TimeSpan CopiesLast = TimeSpan.FromMilliseconds(100);

    /// <summary>What the stream's arrivals are judged by.</summary>
    public ArrivalWindow Arrivals;

    private readonly PartitionMap _map;
    private readonly int _partition;
    private readonly ulong[] _held;
    private readonly int _members;
    private ulong[]? _given;
    private readonly Probes _probes;
    private const int SuspiciousRelays = 32;

    private static readonly TimeSpan DirectCounts = TimeSpan.FromSeconds(1);

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

    /// <summary>Packets and beacons that came from the sender directly, first or again: not sent again because somebody asked.</summary>
    public ulong Direct { get; set; }

    /// <summary>When a packet last came directly by unicast; zero: never.</summary>
    public Instant CopiedAt { get; set; }

    /// <summary>True while the sender carries the stream to this member by unicast: then that socket says how far it has been read.</summary>
    public bool IsCopied(Instant now) => CopiedAt != Instant.Zero && now - CopiedAt < CopiesLast;

    /// <summary>How far the stream has been read from the data socket, lost packets or not.</summary>
    public ulong ReadPosition { get; private set; }

    /// <summary>What a token named while the socket still held packets: becomes the intake once the socket is found empty.</summary>
    public ulong ReadPositionTarget { get; private set; }

    /// <summary>The taking of completions that the token came with: a socket found empty before it says nothing about what the token named.</summary>
    public ulong IntakeTargetTake { get; private set; }

    /// <summary>Highest sequence that anybody is known to have sent or seen.</summary>
    public ulong KnownHighest { get; private set; }

    /// <summary>Every live member holds everything up to here, and all of them know.</summary>
    public ulong Cleanup { get; private set; }

    /// <summary>Leader only: every live member holds everything up to here.</summary>
    public ulong Stable { get; set; }

    /// <summary>Leader only: up to here a complete round has told everybody what is stable.</summary>
    public ulong Told { get; set; }

    /// <summary>Set once the sender is known to be removed.</summary>
    public OrphanStream? Orphan { get; set; }

    /// <summary>Leader only: true until everything is stable, or the removed sender's stream closed, and everybody has been told.</summary>
    /// <param name="term">The leader's term: what a leader before has told does not count.</param>
    public bool NeedsRound(int term) => Orphan is null ? KnownHighest > Told : Orphan.ToldIn != term;

    /// <summary>Up to here packets may be called missing, as the leader's tokens say.</summary>
    public ulong Cutoff { get; private set; }

    /// <summary>Leader only: round in which the stream was last seen to grow.</summary>
    public ulong LastGrowth { get; set; }

    /// <summary>Leader only: feedback waits to be sent.</summary>
    public bool AckDue { get; set; }

    /// <summary>Leader only: what the last round found; built into an acknowledgement when that is sent.</summary>
    public AckBody Feedback { get; set; }

    /// <summary>The first missing packet, when somebody was last asked.</summary>
    public ulong StuckAt { get; set; }

    /// <summary>Since when it is that one.</summary>
    public Instant StuckSince { get; set; }

    /// <summary>How many tokens have listed it as missing here since then.</summary>
    public int StuckListed { get; set; }

    /// <summary>Marks a record as met while a token is visited.</summary>
    public bool InToken { get; set; }

    /// <summary>Everything up to here is held by this member.</summary>
    public ulong Contiguous => Own?.Highest ?? Window.Contiguous;

    /// <summary>True while somebody may still need recovery of this stream, or does not know that nobody does.</summary>
    public bool IsActive => Orphan is null ? KnownHighest > Cleanup : !Orphan.IsClosed;

    /// <summary>True when a sequence is one that the sender can have reached; false: whoever names it is wrong.</summary>
    public bool Reaches(ulong sequence) => Own is not null ? sequence <= Own.Highest : Window.Reaches(sequence);

    /// <summary>
    /// False for a sequence that lies further beyond what is known than a sender's window, as long as nothing else says so: of one forged datagram
    /// thousands of packets that nobody has sent would be asked for. A second one near it confirms it.
    /// </summary>
    /// <param name="sequence">What a packet, a beacon or a token says that the sender has reached.</param>
    /// <param name="window">Most packets that a sender has under way.</param>
    public bool Believes(ulong sequence, ulong window)
    {
        if (sequence <= KnownHighest + window || Own is not null || Orphan is not null) return true;
        ulong apart = sequence > _claimed ? sequence - _claimed : _claimed - sequence;
        bool isConfirmed = _claimed != 0 && apart <= window;
        _probes.Hit(isConfirmed ? Mark.LeapConfirmed : Mark.LeapNotBelieved);
        _claimed = sequence;
        return isConfirmed;
    }

    /// <summary>True when this member's word on a record counts. What others were told of packets that were never sent does not keep the sender from
    /// saying that it holds all that were, or nothing of its stream would ever be stable.</summary>
    public bool TakesPartIn(TokenStream record) => Own is not null ? record.Cleanup <= Own.Highest : Window.Reaches(record.Highest);

    /// <summary>A packet of this length came from the sender itself, in one piece.</summary>
    public void NoteDirect(int length, Instant now)
    {
        if (length < _longestDirect) return;
        _longestDirect = length;
        _directAt = now;
        _relayedLonger = 0;
    }

    /// <summary>A packet of this length came from a peer.</summary>
    /// <returns>True when so many came from peers that are longer than all that lately came from the sender, that the way from it is suspicious.</returns>
    public bool NoteRelayed(int length, Instant now)
    {
        if (now - _directAt > DirectCounts) _longestDirect = 0;
        return length > _longestDirect && ++_relayedLonger % SuspiciousRelays == 0;
    }

    /// <summary>Raises the highest sequence known.</summary>
    /// <returns>True when it rose.</returns>
    public bool NoteHighest(ulong sequence)
    {
        if (sequence <= KnownHighest) return false;
        KnownHighest = sequence;
        return true;
    }

    /// <summary>
    /// The data socket has been read up to a sequence. What has not arrived below it is missing.
    /// </summary>
    /// <returns>How many sequences were found missing.</returns>
    public ulong RaiseIntake(ulong sequence, Instant now)
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

    /// <summary>No live member holds these packets, nor ever will: they count as received.</summary>
    /// <returns>How many of them were missing here.</returns>
    public ulong Abandon(ulong start, ulong end)
    {
        ulong abandoned = 0;
        for (ulong sequence = Math.Max(start, Window.Contiguous + 1); sequence < end && Window.Reaches(sequence); sequence++)
        {
            if (Window.TryMark(sequence) == MarkOutcome.New) abandoned++;
            Missing.Fill(sequence, out _);
        }
        return abandoned;
    }

    /// <summary>As <see cref="Abandon"/>, for all that is missing. O(1) a sequence, however many gaps there are.</summary>
    /// <returns>How many there were.</returns>
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
        IntakeTargetTake = take;
    }

    /// <summary>A packet that this member holds, from its cache or its own pending set.</summary>
    public bool TryGetPacket(ulong sequence, out Slice datagram) =>
        Own is not null ? Own.TryGetPacket(sequence, out datagram) : Cache.TryGet(sequence, out datagram);

    /// <summary>A packet is about to be sent to a member.</summary>
    /// <returns>True when it is above all that the member was sent of this stream from here.</returns>
    public bool NoteGiven(int member, ulong sequence)
    {
        ref ulong given = ref (_given ??= new ulong[_members])[member];
        if (sequence <= given) return false;
        given = sequence;
        return true;
    }

    /// <summary>True when this member has received the packet, kept or not.</summary>
    public bool Has(ulong sequence) => Own is not null ? sequence <= Own.Highest : Window.Contains(sequence);

    /// <summary>All live members hold everything up to here, and a round has said so: caches forget it.</summary>
    public void CleanUp(ulong sequence)
    {
        if (sequence <= Cleanup) return;
        Cleanup = sequence;
        NoteHighest(sequence);
        Cache.ReleaseThrough(Math.Min(sequence, Contiguous));
        if (!Pulls.IsEmpty) Pulls.ForgetThrough(sequence);
    }

    /// <summary>
    /// Learns up to where all members of each partition hold its packets, tells the token what is known better, and lets go of foreign packets.
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
                _probes.Hit(Mark.ForeignPacketReleased);
                Cache.Release(next);
            }
            _foreignFloor = next;
        }
    }

    /// <summary>Up to here all members of a partition were shown to hold its packets.</summary>
    public ulong HeldIn(int partition) => _held[partition];

    /// <summary>Leader, at the start of a round: moves the cutoff to what had been seen at least <paramref name="age"/> and one round ago.</summary>
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

    /// <summary>Contiguous places of this member's own partition.</summary>
    public ulong ContiguousPlace() => PlacesThrough(Own?.Highest ?? Window.ContiguousIn(_partition, _map.Count), _partition);

    /// <summary>
    /// Lists what this member misses of its own partition, up to a bound beyond which it does not judge.
    /// </summary>
    /// <param name="list">Where to.</param>
    /// <param name="bound">Up to where this member judges.</param>
    /// <param name="patience">How long what was asked for is awaited.</param>
    /// <param name="isVain">True: nothing that is asked for comes, so that all counts as awaited.</param>
    /// <param name="now">The present instant.</param>
    public void ListMissing(TokenRangeList list, ulong bound, TimeSpan patience, bool isVain, Instant now)
    {
        list.Clear();
        ulong judged = Math.Min(bound, Own?.Highest ?? ReadPosition);
        list.Covered = PlacesThrough(judged, _partition) + 1;
        for (int index = 0; index < Missing.Count; index++)
        {
            MissingRange run = Missing[index];
            if (run.Start > judged) break;
            ulong start = FirstPlaceFrom(run.Start, _partition);
            ulong end = FirstPlaceFrom(Math.Min(run.End, judged + 1), _partition);
            if (start < end && !list.Add(new TokenRange(start, end, isVain || run.IsAwaited(now, patience)))) break;
        }
    }

    /// <summary>How many packets of a partition have sequences up to <paramref name="sequence"/>.</summary>
    public ulong PlacesThrough(ulong sequence, int partition)
    {
        ulong first = (ulong)partition + 1;
        return sequence < first ? 0 : ((sequence - first) / (ulong)_map.Count) + 1;
    }

    /// <summary>The first place of a partition whose sequence is not below <paramref name="sequence"/>.</summary>
    public ulong FirstPlaceFrom(ulong sequence, int partition) => PlacesThrough(sequence - 1, partition) + 1;

    /// <summary>The sequence at a place of a partition.</summary>
    public ulong SequenceAt(ulong place, int partition) => ((place - 1) * (ulong)_map.Count) + (ulong)partition + 1;

    /// <summary>Lets everything go.</summary>
    public void Close() => Cache.ReleaseThrough(ulong.MaxValue - 1);
}
