using System.Numerics;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Pull;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Probing;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Dissemination.Streams;

/// <summary>
/// Decides which members of a view one stream reaches by its multicast, and which get copies by unicast.
/// <para>
/// Idea: members judge by the packets that arrive. A member that misses nearly all packets of the stream reports it.
/// The report is checked: small probes leave by multicast, and only a member that hears none of them, and reports
/// again, gets copies. Four probes accompany the traffic by multicast at growing pauses. A member with copies that
/// hears three of the four is carried by multicast again. When all others have copies, only probes are multicast.
/// </para>
/// <para>
/// Awkward cases: a member that hears probes and misses packets has another problem, for example packets too long for
/// its path; copies would not help. Copies that do not arrive either are ended, and the member's reports are ignored
/// for a minute. A stream without traffic sends no probes.
/// </para>
/// <para>
/// Cost: one comparison a train while nobody has copies, O(members) when a member's carrier changes. Core thread only.
/// </para>
/// </summary>
internal sealed class MemberCarriers : IFeed
{
    /// <summary>Probes of one round.</summary>
    private const int Probes = 4;

    /// <summary>How many of them a member must hear.</summary>
    private const int ProbesHeard = 3;

    private static readonly TimeSpan ProbeDistance = TimeSpan.FromMilliseconds(50);
    private static readonly TimeSpan FirstPause = TimeSpan.FromSeconds(5);
    private static readonly TimeSpan LongestPause = TimeSpan.FromSeconds(60);

    /// <summary>A member that loses multicast again so soon after its return is probed at growing pauses.</summary>
    private static readonly TimeSpan Relapse = TimeSpan.FromSeconds(60);

    /// <summary>How long the answer to a probe may take.</summary>
    private static readonly TimeSpan ProbeAnswer = TimeSpan.FromMilliseconds(200);

    /// <summary>How long a suspicion lasts.</summary>
    private static readonly TimeSpan SuspicionEnds = TimeSpan.FromSeconds(15);

    /// <summary>How soon copies must arrive.</summary>
    private static readonly TimeSpan CopiesShow = TimeSpan.FromSeconds(3);

    /// <summary>How long reports of a member are ignored that copies did not reach.</summary>
    private static readonly TimeSpan VainEnds = TimeSpan.FromSeconds(60);

    private readonly SendContext _context;
    private readonly CarrierMemory _memory;
    private readonly IDisseminationEvents _events;
    private readonly RegionView _view;
    private readonly IRegionChannel? _channel;
    private readonly Alarm _nextProbe;
    private readonly byte[] _probe = new byte[DatagramHeader.Length];
    private Member[]? _members;
    private TimeSpan _pause = FirstPause;
    private Instant _probesDue;
    private ulong _round;
    private int _sent = Probes;
    private bool _isOwed;

    /// <summary>
    /// Makes the carriers of one stream. Members known not to hear this node's multicast begin with copies.
    /// </summary>
    /// <param name="context">What the streams of the node share.</param>
    /// <param name="view">The view that the stream goes to.</param>
    /// <param name="channel">The view's channel; null: all members are carried by unicast anyway.</param>
    /// <param name="now">The present instant.</param>
    public MemberCarriers(StreamContext context, RegionView view, IRegionChannel? channel, Instant now)
    {
        _context = context.Send;
        _memory = context.Carriers;
        _events = context.Events;
        _view = view;
        _channel = channel;
        _nextProbe = new Alarm(_context.Alarms, OnNextProbe);
        if (channel is not null) Inherit(now);
        Count();
    }

    private enum Way : byte
    {
        Multicast,
        Suspected,
        Copied,
        Vain,
    }

    /// <summary>Members that get copies in addition to the multicast.</summary>
    public int Copied { get; private set; }

    /// <summary>True while any live member other than this node is carried by multicast.</summary>
    public bool NeedsMulticast { get; private set; }

    /// <summary>True for a member that gets copies.</summary>
    /// <param name="index">Its index in the view.</param>
    public bool IsCopied(int index) =>
        _channel is null || (_members is { } members && members[index].Way == Way.Copied);

    /// <summary>A train of packets leaves: probes accompany it when they are due.</summary>
    public void OnTrain(Instant now)
    {
        if (_channel is null) return;
        if (_context.Settings.Probes.Here(BuggifySite.MemberCopiedUnasked)) CopyUnasked(now);
        if (Copied == 0 || now < _probesDue) return;
        _pause = Shorter(_pause * 2, LongestPause);
        _probesDue = now + _pause;
        Remember();
        StartRound(now);
    }

    /// <summary>Handles a live member's report on this node's multicast.</summary>
    /// <param name="index">Its index in the view.</param>
    /// <param name="word">The report.</param>
    /// <param name="now">The present instant.</param>
    public void OnWord(int index, in CarrierWordBody word, Instant now)
    {
        if (_channel is null) return;
        ref Member member = ref (_members ??= new Member[_view.Members.Length])[index];
        if (word.Heard is { } probe) OnHeard(ref member, index, probe, now);
        else OnUnheard(ref member, index, now);
    }

    /// <summary>Updates the counts after members were removed.</summary>
    public void OnMembersChanged()
    {
        foreach (NodeInfo member in _view.Members)
        {
            if (member.IsRemoved) _memory.Remove(member.Number.Key);
        }
        Count();
    }

    /// <summary>Ends the probes of a closed stream.</summary>
    public void Close()
    {
        _nextProbe.Cancel();
        _isOwed = false;
        _context.Roots.DropKept(this);
    }

    /// <inheritdoc/>
    public bool TryPull(Instant now, out Train train)
    {
        train = default;
        if (!_isOwed || _channel is null) return false;
        _isOwed = false;
        var header = new DatagramHeader
        {
            Kind = DatagramKind.CarrierProbe,
            Cluster = _context.ClusterInstance,
            Version = _view.Version,
            ViewTag = _view.Number.Tag,
            ViewCounter = _view.Number.Counter,
            Sender = _context.SelfKey,
            Sequence = (_round * Probes) + (ulong)_sent,
        };
        header.WriteTo(_probe);
        _context.Counters.CarrierProbes++;
        if (++_sent < Probes) _nextProbe.Set(now + ProbeDistance);
        train = new Train(_probe, _probe.Length, TrainRoute.Region, default, _channel);
        return true;
    }

    private static TimeSpan Shorter(TimeSpan one, TimeSpan other) => one < other ? one : other;

    private void OnHeard(ref Member member, int index, ulong probe, Instant now)
    {
        if (probe / Probes != _round || probe % Probes >= (ulong)_sent) return;
        member.Heard |= (byte)(1 << (int)(probe % Probes));
        if (member.Way != Way.Copied || BitOperations.PopCount(member.Heard) < ProbesHeard) return;
        _context.Settings.Probes.Reached("a member with copies hears multicast again");
        member.Way = Way.Multicast;
        _memory.LastReturn = now;
        Report(index, CarrierChange.MemberToMulticast, _memory.Remove(_view.Members[index].Number.Key), now);
    }

    private void OnUnheard(ref Member member, int index, Instant now)
    {
        TimeSpan age = now - member.Since;
        if (member.Way == Way.Copied)
        {
            if (age < CopiesShow) return;
            _context.Settings.Probes.Reached("copies by unicast do not reach a member either");
            member.Way = Way.Vain;
            member.Since = now;
            Report(index, CarrierChange.CopiesInVain, _memory.Remove(_view.Members[index].Number.Key), now);
            return;
        }
        if (member.Way == Way.Vain && age < VainEnds) return;
        bool isConfirmed = member.Way == Way.Suspected && age < SuspicionEnds;
        if (isConfirmed && age < ProbeAnswer) return;
        if (isConfirmed && member.Heard == 0)
        {
            Copy(ref member, index, now);
            return;
        }
        if (isConfirmed) _context.Settings.Probes.Reached("a member that misses nearly all hears the sender's probes");
        member.Way = Way.Suspected;
        member.Since = now;
        StartRound(now);
    }

    private void Copy(ref Member member, int index, Instant now)
    {
        _context.Settings.Probes.Reached("a sender begins to send a member copies by unicast");
        bool isRelapse = _memory.LastReturn != Instant.Zero && now - _memory.LastReturn < Relapse;
        _pause = isRelapse ? Shorter(_pause * 2, LongestPause) : FirstPause;
        _probesDue = now + _pause;
        member.Way = Way.Copied;
        member.Since = now;
        Remember();
        Report(index, CarrierChange.MemberToUnicast, _memory.Add(_view.Members[index].Number.Key), now);
    }

    private void CopyUnasked(Instant now)
    {
        int index = (int)(_round % (ulong)_view.Members.Length);
        ref Member member = ref (_members ??= new Member[_view.Members.Length])[index];
        if (member.Way == Way.Copied || _view.Members[index].Number.Key == _context.SelfKey) return;
        Copy(ref member, index, now);
    }

    private void Report(int index, CarrierChange change, bool isNews, Instant now)
    {
        Count();
        if (!isNews) return;
        if (change == CarrierChange.MemberToUnicast) _context.Counters.MembersToUnicast++;
        _events.OnCarrierChanged(_view.Members[index], change, now);
    }

    private void StartRound(Instant now)
    {
        if (_sent < Probes) return;
        _round++;
        _sent = 0;
        for (int index = 0; index < _members!.Length; index++) _members[index].Heard = 0;
        OnNextProbe(now);
    }

    private void OnNextProbe(Instant now)
    {
        _isOwed = true;
        _context.Roots.Register(this, PriorityClass.Data);
    }

    private void Inherit(Instant now)
    {
        for (int index = 0; index < _view.Members.Length; index++)
        {
            NodeInfo member = _view.Members[index];
            if (member.IsRemoved || !_memory.IsCopied(member.Number.Key)) continue;
            _context.Settings.Probes.Reached("a stream begins with what earlier ones knew of how members are reached");
            _members ??= new Member[_view.Members.Length];
            _members[index] = new Member { Way = Way.Copied, Since = now };
            _pause = _memory.Pause;
            _probesDue = _memory.ProbesDue;
        }
    }

    private void Remember()
    {
        _memory.Pause = _pause;
        _memory.ProbesDue = _probesDue;
    }

    private void Count()
    {
        Copied = 0;
        NeedsMulticast = false;
        for (int index = 0; index < _view.Members.Length; index++)
        {
            NodeInfo member = _view.Members[index];
            if (member.IsRemoved || member.Number.Key == _context.SelfKey) continue;
            if (_members is not null && _members[index].Way == Way.Copied) Copied++;
            else NeedsMulticast = true;
        }
    }

    private struct Member
    {
        public Way Way;

        /// <summary>When the member came into this state.</summary>
        public Instant Since;

        /// <summary>Probes of the present round that the member has heard, as bits.</summary>
        public byte Heard;
    }
}
