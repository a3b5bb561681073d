using System.Diagnostics;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Dissemination.Messages;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Control;
using QuickSilver.Protocol.Flow.Pull;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Modes;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Timed.Sending;

/// <summary>
/// A timed group as this node sends to it. Core thread only.
/// <para>
/// Idea: a message stays with its source until the bucket opens, so what is sent is fresh. Then it is cut into packets,
/// numbered per (sender, group) whatever the views, and kept for its time to live. Nothing is acknowledged and nothing
/// waits for stability.
/// </para>
/// <para>
/// The bucket is the paper's leaky bucket (GCRA in its continuous form, docs/decisions/0070): a packet conforms while
/// there is credit, and takes its length, into debt if need be. Repairs take from it, too, and from a bucket of half
/// its rate: so new messages always have the other half.
/// </para>
/// <para>
/// Packets go along the views of the step that this node sends in, and name the step in which their message was bound.
/// Source: VE paper, section 2.
/// </para>
/// </summary>
internal sealed class TimedSender : IFeed
{
    private const int MostAskedAtOnce = 512;

    // What takes longer is an old probe, or a lie.
    private static readonly TimeSpan LongestRoundTrip = TimeSpan.FromSeconds(10);

    private readonly TimedContext _context;
    private readonly TimedStay _group;
    private readonly KeyTrails _keys = new();
    private readonly Alarm _opens;
    private readonly byte[] _datagram;
    private readonly TokenBucket? _messages;
    private readonly ViewCast _trains;
    private TimedPlace _place;
    private ushort _before;
    private ulong _sending;
    private int _viewIndex;
    private bool _isClosed;

    public TimedSender(TimedContext context, TimedStay group, in TimedNumbers numbers, Instant now)
    {
        _context = context;
        _group = group;
        Settings = group.Settings;
        PacketBytes = Math.Min(Settings.DatagramBytes, context.Mode.Transport.Facts.SlotBytes);
        FragmentBytes = PacketBytes - DatagramHeader.Length - TimedHead.MaxLength;
        Kept = new KeptPackets(Settings.KeptPackets(), FragmentBytes, numbers.Last);
        Unsent = numbers.Last + 1;
        _place = numbers.Place;
        int burst = Math.Max(1, Settings.BurstPackets) * PacketBytes;
        AllBytes = new TokenBucket(Settings.BytesPerSecond, burst, now);
        RepairBytes = new TokenBucket(Settings.BytesPerSecond / 2.0, burst, now);
        if (Settings.MessagesPerSecond > 0)
            _messages = new TokenBucket(Settings.MessagesPerSecond, Math.Max(1, Settings.BurstPackets), now);
        _opens = new Alarm(context.Mode.Alarms, OnOpened);
        _datagram = new byte[PacketBytes];
        _trains = new ViewCast(context.Mode);
        RoundTrip = new GroupRoundTrip(Settings.FirstRoundTrip);
        Repairs = new TimedRepairs(context, group, this);
        Gone = new TimedGone(context, group, this);
        Status = new TimedStatus(context, group, this);
    }

    public TimedSettings Settings { get; }

    /// <summary>The packets sent and kept.</summary>
    public KeptPackets Kept { get; }

    public TimedRepairs Repairs { get; }

    public TimedGone Gone { get; }

    public TimedStatus Status { get; }

    /// <summary>The bucket of repairs alone.</summary>
    public TokenBucket RepairBytes { get; }

    /// <summary>The bucket of all that is sent.</summary>
    public TokenBucket AllBytes { get; }

    /// <summary>The longest datagram.</summary>
    public int PacketBytes { get; }

    /// <summary>Bytes of a message in one packet.</summary>
    public int FragmentBytes { get; }

    /// <summary>The first packet that was never sent.</summary>
    public ulong Unsent { get; private set; }

    /// <summary>What the next sender of the group goes on from.</summary>
    public TimedNumbers Numbers => new(Kept.Last, _place);

    /// <summary>The round trip of the group. A field, because it is changed in place.</summary>
    public GroupRoundTrip RoundTrip;

    /// <summary>
    /// True when a message may be taken from its source; otherwise it is asked for when that changes.
    /// </summary>
    public bool MayTake(Instant now)
    {
        if (Unsent <= Kept.Last) return false;
        Instant opens = AllBytes.ReadyAt(1, now);
        if (_messages?.ReadyAt(1, now) is { } next && next > opens) opens = next;
        if (opens <= now) return true;
        _context.Probes.Reached("a timed group's messages wait with their source for the bucket");
        _opens.SetIfEarlier(opens);
        return false;
    }

    /// <summary>Takes a message: cuts it into packets, which are sent next.</summary>
    public void Take(OutgoingMessage message, Instant now)
    {
        Debug.Assert(!_isClosed && Unsent > Kept.Last, "the message before has left");
        ReadOnlySpan<byte> bytes = message.Span;
        MessageTraits traits = message.Traits;
        Instant taken = traits.Given == Instant.Zero || traits.Given > now ? now : traits.Given;
        TimeSpan life = Settings.LifeOf(traits.Importance, traits.TimeToLive);
        int count = Math.Max(1, (bytes.Length + FragmentBytes - 1) / FragmentBytes);
        if (taken + life > now) _group.DeliverOwn(message, now);
        if (taken + life <= now || count > Math.Min(TimedHead.MaxFragments, Kept.Capacity / 2))
        {
            _context.Counters.MessagesNotSent++;
            return;
        }
        _messages?.Take(1, now);
        ForgetKeysBelow(Kept.Last + (ulong)count);
        ulong first = Kept.Last + 1;
        if (_place.Step != message.Step) _place = new TimedPlace(message.Step, first, message.Number, _place.Step);
        var head = new TimedHead
        {
            Group = _group.Id.Counter,
            Number = message.Number,
            Place = _place,
            Count = count,
            Importance = traits.Importance,
            Life = life,
        };
        if (traits.Key is { } key) Follow(ref head, key, new TimedReplaced.Entry(first, count, message.Number));
        int worth = PacketWorth.Of(head.Importance, head.IsKeyed && Settings.Replaces);
        for (int index = 0; index < count; index++)
        {
            int offset = index * FragmentBytes;
            ref KeptPacket packet = ref Kept.Add(
                bytes.Slice(offset, Math.Min(FragmentBytes, bytes.Length - offset)), now, out bool pushedOut);
            if (pushedOut) _context.Counters.PushedOut++;
            head.Index = index;
            head.Before = _before;
            packet.Head = head;
            packet.Taken = taken;
            _before = PacketWorth.Push(_before, worth);
        }
        _context.Counters.MessagesSent++;
        _context.Counters.BytesSent += (ulong)bytes.Length;
        Register();
    }

    /// <summary>False for a request that names a packet never sent.</summary>
    public bool MayBeAsked(SequenceRangeList ranges)
    {
        ulong end = 0;
        foreach (SequenceRange range in ranges) end = range.End;
        return end <= Unsent;
    }

    /// <summary>Takes a request.</summary>
    public void OnNak(in TimedNakBody nak, RegionView view, NodeInfo asker, Instant now)
    {
        Debug.Assert(MayBeAsked(nak.Ranges), "only what was sent is asked for");
        if (nak.Probe > 0) OnEcho(nak.Probe, nak.Held, now);
        Kept.Expire(now, Unsent);
        int examined = 0;
        foreach (SequenceRange range in nak.Ranges)
        {
            if (range.Start < Kept.Oldest) Gone.Announce(range.Start, now);
            for (ulong sequence = Math.Max(range.Start, Kept.Oldest); sequence < range.End; sequence++)
            {
                if (++examined > MostAskedAtOnce) return;
                if (Kept.IsHeld(sequence, now)) Repairs.Order(sequence, view, nak.IsDirect ? asker : null, now);
                else if (!IsReplaced(sequence, now) || nak.IsDirect) Gone.Announce(sequence, now);
            }
        }
    }

    // The message that replaced it says so, and is asked for, too, if it is missing. After a request in vain it is
    // gone.
    private bool IsReplaced(ulong sequence, Instant now) =>
        Kept.Contains(sequence) && Kept[sequence].IsDropped && Kept[sequence].Ends > now;

    /// <summary>Takes the answer to a probe.</summary>
    public void OnEcho(ulong probe, TimeSpan held, Instant now)
    {
        long sent = (long)Math.Min(probe, long.MaxValue / TimeSpan.TicksPerMicrosecond) * TimeSpan.TicksPerMicrosecond;
        TimeSpan sample = new TimeSpan(now.Ticks - sent) - held;
        if (sent <= now.Ticks && sample <= LongestRoundTrip) RoundTrip.Add(sample);
    }

    /// <summary>Stops what is under way: the views have changed.</summary>
    public void Detach()
    {
        _trains.Stop();
        _context.Mode.Roots.DropKept(this);
        Repairs.Detach();
        Gone.Detach();
        Status.Detach();
        Register();
    }

    /// <summary>Ends the timers and sends nothing more: the last session is over.</summary>
    public void Close()
    {
        _isClosed = true;
        _opens.Cancel();
        _trains.Stop();
        _context.Mode.Roots.DropKept(this);
        Repairs.Close();
        Gone.Close();
        Status.Close();
    }

    /// <inheritdoc/>
    public bool TryPull(Instant now, out Train train)
    {
        train = default;
        while (!_isClosed)
        {
            if (_trains.TryNext(out train))
            {
                AllBytes.Take(train.Length, now);
                return true;
            }
            if (_sending != 0 && StartInNextView(now)) continue;
            _sending = 0;
            if (!TryBegin(now)) return false;
        }
        return false;
    }

    /// <summary>Writes a packet for a view.</summary>
    /// <param name="room">Room for it.</param>
    /// <param name="kind">Data or repair.</param>
    /// <param name="view">The view.</param>
    /// <param name="sequence">The packet, which is kept.</param>
    /// <param name="now">The present instant.</param>
    /// <returns>Its length.</returns>
    public int Write(Span<byte> room, DatagramKind kind, RegionView view, ulong sequence, Instant now)
    {
        Debug.Assert(Kept.Contains(sequence), "the packet is kept");
        ref KeptPacket packet = ref Kept[sequence];
        packet.Head.Age = now - packet.Taken;
        var writer = new WireWriter(room[DatagramHeader.Length..]);
        packet.Head.WriteTo(ref writer, view.Number.Epoch, sequence);
        writer.WriteBytes(Kept.BytesOf(sequence));
        Debug.Assert(!writer.Overflowed, "a packet is longer than its room");
        int length = DatagramHeader.Length + writer.Written;
        _context.Mode.Header(kind, view, sequence).WriteTo(room[..length]);
        return length;
    }

    private void OnOpened(Instant now)
    {
        Register();
        _context.WakeIntake();
    }

    private void Register()
    {
        if (Unsent <= Kept.Last) _context.Mode.Roots.Register(this, PriorityClass.Data);
    }

    private bool TryBegin(Instant now)
    {
        while (Unsent <= Kept.Last && !Kept.IsHeld(Unsent, now))
        {
            _context.Probes.Reached("a packet of a timed group ends before it is sent");
            Unsent++;
        }
        if (Unsent > Kept.Last)
        {
            _context.WakeIntake();
            return false;
        }
        if (AllBytes.Available(now) < 1)
        {
            _opens.SetIfEarlier(AllBytes.ReadyAt(1, now));
            return false;
        }
        _sending = Unsent++;
        _viewIndex = -1;
        _context.Counters.PacketsSent++;
        // What nobody else is there for costs as if it were sent: an endless source must not hold the turn.
        if (_group.ViewsNow(now).Count == 0) AllBytes.Take(PacketBytes, now);
        Status.OnSent(now);
        return true;
    }

    private bool StartInNextView(Instant now)
    {
        IReadOnlyList<RegionView> views = _group.ViewsNow(now);
        if (++_viewIndex >= views.Count || !Kept.Contains(_sending)) return false;
        int length = Write(_datagram, DatagramKind.TimedData, views[_viewIndex], _sending, now);
        _trains.Start(views[_viewIndex], _datagram.AsMemory(0, length), alsoTo: null);
        return true;
    }

    private void Follow(ref TimedHead head, ulong key, in TimedReplaced.Entry added)
    {
        head.IsKeyed = true;
        head.Key = key;
        if (!Settings.Replaces) return;
        head.Replaced = _keys.Follow(key, added, head.Importance != Importance.High, Kept.Oldest);
        for (int index = 0; index < head.Replaced.Count; index++)
        {
            TimedReplaced.Entry entry = head.Replaced[index];
            for (ulong sequence = entry.First; sequence < entry.First + (ulong)entry.Packets; sequence++)
            {
                if (Kept.Contains(sequence)) Kept[sequence].IsDropped = true;
            }
        }
    }

    // The next packets take the places of those that were sent a whole round before.
    private void ForgetKeysBelow(ulong last)
    {
        for (ulong next = Kept.Last + 1; next <= last; next++)
        {
            ref KeptPacket packet = ref Kept[next];
            if (packet.Head.IsKeyed && packet.Head.Number > 0) _keys.Forget(packet.Head.Key, packet.Sequence);
        }
    }
}
