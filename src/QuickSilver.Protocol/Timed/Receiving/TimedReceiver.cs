using System.Diagnostics;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Timed.Receiving;

/// <summary>
/// One sender of a timed group as a member receives it. Core thread only.
/// <para>
/// Idea: packets are put into a window by their sequence. A gap is asked for after a drawn wait
/// (<see cref="HoleRequests"/>), and given up when it is worth nothing any longer; messages go on in their sender's
/// order (<see cref="InOrder"/>).
/// </para>
/// <para>
/// Awkward case: the start. A member receives what was bound in the step of its join or later. Each packet names the
/// first of its step and the step before. If that step, too, is one of the member's, the packet before the first is
/// asked for: it names the first of its own step, and so on, until the beginning is known or given up.
/// </para>
/// </summary>
internal sealed class TimedReceiver
{
    private const int FarWindows = 16;

    private readonly TimedContext _context;
    private readonly TimedStay _group;
    private ulong _far;
    private ulong _before;

    public TimedReceiver(TimedContext context, TimedStay group, NodeInfo sender)
    {
        _context = context;
        _group = group;
        Sender = sender;
        Window = new PacketWindow(group.Settings.KeptPackets(), context.Counters);
        RoundTrip = group.Settings.FirstRoundTrip;
        Order = new InOrder(context, group, this);
        Requests = new HoleRequests(context, group, this);
        Echo = new ProbeEcho(context, group, this);
    }

    /// <summary>The sender.</summary>
    public NodeInfo Sender { get; }

    /// <summary>Its packets.</summary>
    public PacketWindow Window { get; }

    /// <summary>Its messages on their way out.</summary>
    public InOrder Order { get; }

    /// <summary>What is asked of it.</summary>
    public HoleRequests Requests { get; }

    /// <summary>What its probes are answered with.</summary>
    public ProbeEcho Echo { get; }

    /// <summary>The group's round trip as the sender says.</summary>
    public TimeSpan RoundTrip { get; private set; }

    /// <summary>True once the first packet of the stay is known of.</summary>
    public bool IsStarted => Window.Next > 0;

    // True while the packet at the cursor may show an earlier beginning; no longer once it is given up.
    private bool LooksBack => _before > 0 && Window.Next == _before;

    /// <summary>True once the sender is gone or the session over.</summary>
    public bool IsOver { get; private set; }

    /// <summary>Takes a packet.</summary>
    /// <param name="sequence">Its sequence.</param>
    /// <param name="head">What its body says.</param>
    /// <param name="payload">The message's bytes in it.</param>
    /// <param name="now">The present instant.</param>
    public RejectReason OnPacket(
        ulong sequence, in TimedHead head, ReadOnlySpan<byte> payload, Instant now)
    {
        if (head.Place.Step > _context.Installed) return RejectReason.UnknownView;
        if (head.Place.Step < _group.Began)
        {
            _context.Counters.BeforeJoin++;
            NoteBefore(sequence, now);
            return RejectReason.None;
        }
        RejectReason reason = Reach(sequence, head.Place, now);
        if (reason != RejectReason.None) return reason;
        if (sequence < Window.Next)
        {
            _context.Counters.Duplicates++;
            return RejectReason.None;
        }
        Reveal(sequence, sequence, head.Before, now);
        reason = Put(sequence, head, payload, now);
        if (reason == RejectReason.None) Order.Deliver(now);
        return reason;
    }

    /// <summary>Takes an announcement of the last packet.</summary>
    public RejectReason OnStatus(ulong last, in TimedStatusBody status, Instant now)
    {
        if (status.Place.Step > _context.Installed) return RejectReason.UnknownView;
        RoundTrip = status.RoundTrip;
        Echo.OnProbe(status.Probe, now);
        if (status.Place.Step < _group.Began)
        {
            NoteBefore(last, now);
            return RejectReason.None;
        }
        RejectReason reason = Reach(last, status.Place, now);
        if (reason != RejectReason.None) return reason;
        if (last >= Window.Next) Reveal(last, last + 1, status.Before, now);
        Order.NoteEnd(last, status.Number);
        GiveUpBelow(status.Oldest, now);
        return RejectReason.None;
    }

    /// <summary>Takes an announcement of packets that the sender no longer holds.</summary>
    public void OnGone(ulong oldest, SequenceRangeList ranges, Instant now)
    {
        Debug.Assert(!IsOver, "a receiver that is over is asked nothing");
        if (!IsStarted) return;
        foreach (SequenceRange range in ranges) GiveUp(range);
        GiveUpBelow(oldest, now);
    }

    /// <summary>The sender is gone: what is here is delivered, the rest is reported lost.</summary>
    public void End(Instant now)
    {
        if (IsStarted)
        {
            GiveUp(new SequenceRange(Window.Next, Window.Highest + 1));
            Order.Deliver(now);
        }
        Drop();
    }

    /// <summary>Drops everything: nothing more is delivered.</summary>
    public void Drop()
    {
        IsOver = true;
        Requests.Close();
        Window.Clear();
    }

    /// <summary>A packet is passed: its body stays for partners, if they are served.</summary>
    public void Pass(ref ReceivedPacket packet)
    {
        if (!_group.Settings.PartnersRepair) Window.Release(ref packet);
    }

    // A packet of a step before the stay: all before it are no concern of this member's.
    private void NoteBefore(ulong sequence, Instant now)
    {
        if (!IsStarted || !LooksBack || sequence < Window.Next) return;
        _context.Probes.Reached("the packet before a timed stay shows where the stay begins");
        _before = 0;
        for (ulong passed = Window.Next; passed <= sequence && passed <= Window.Highest; passed++)
            Window[passed].State = PacketState.Lost;
        Order.StartAt(Order.NextNumber + 1);
        Order.Deliver(now);
    }

    // Starts the window, moves it back to the beginning of the stay, or forward to a packet beyond it.
    private RejectReason Reach(ulong sequence, in TimedPlace place, Instant now)
    {
        if (!IsStarted)
        {
            Begin(place, sequence);
            Window.Highest = Window.Next - 1;
            if (LooksBack) _context.Probes.Reached("a timed stay begins before the first packet that came");
        }
        else if (LooksBack && sequence == Window.Next)
        {
            ulong from = Window.Next;
            Begin(place, sequence);
            for (ulong missing = Window.Next; missing < from; missing++)
            {
                Window.Open(missing);
                Requests.Add(missing, 0, TimeSpan.Zero, now);
            }
        }
        if (sequence < Window.Next + (ulong)Window.Capacity) return RejectReason.None;
        ulong ahead = sequence - Window.Next;
        if (ahead > FarWindows * (ulong)Window.Capacity && !IsConfirmed(sequence)) return RejectReason.BeyondWindow;
        _context.Probes.Reached("a timed receiver is left behind by more than its window");
        Order.SkipTo(sequence + 1 - (ulong)(Window.Capacity / 2), now);
        return RejectReason.None;
    }

    private void Begin(in TimedPlace place, ulong sequence)
    {
        bool isFirst = place.Previous.IsNone || place.Previous < _group.Began;
        ulong first = isFirst ? place.First : place.First - 1;
        ulong reach = (ulong)(Window.Capacity / 2);
        ulong highest = Math.Max(sequence, Window.Highest);
        bool isFar = highest - first >= reach;
        Window.Next = isFar ? highest + 1 - reach : first;
        _before = isFirst || isFar ? 0 : first;
        Order.StartAt(isFirst ? place.FirstNumber : place.FirstNumber - 1);
    }

    // One packet far ahead may be a lie; two that are near each other are believed.
    private bool IsConfirmed(ulong sequence)
    {
        bool isNear = _far > 0 && (sequence > _far ? sequence - _far : _far - sequence) < (ulong)Window.Capacity
            && sequence != _far;
        _far = sequence;
        return isNear;
    }

    // All packets up to one are known of; worth is given for those before another.
    private void Reveal(ulong upTo, ulong worthBefore, ushort before, Instant now)
    {
        Debug.Assert(upTo >= Window.Next && upTo < Window.Next + (ulong)Window.Capacity, "the window reaches it");
        if (upTo <= Window.Highest) return;
        TimeSpan wait = upTo > Window.Highest + 1 || worthBefore > upTo ? Requests.DrawWait(0) : TimeSpan.Zero;
        while (Window.Highest < upTo)
        {
            ulong sequence = ++Window.Highest;
            Window.Open(sequence);
            if (sequence == worthBefore) return;
            _context.Counters.PacketsMissing++;
            Requests.Add(sequence, PacketWorth.At(before, worthBefore - sequence), wait, now);
        }
    }

    private RejectReason Put(ulong sequence, in TimedHead head, ReadOnlySpan<byte> payload, Instant now)
    {
        Debug.Assert(Window.IsOpen(sequence), "the packet is in the window");
        ref ReceivedPacket packet = ref Window[sequence];
        bool wasMissing = packet.State == PacketState.Missing;
        if (!wasMissing && packet.State != PacketState.Unknown)
        {
            _context.Counters.Duplicates++;
            return RejectReason.None;
        }
        bool hasRoom = _context.Counters.HeldBytes + payload.Length <= TimedContext.MaxHeldBytes;
        Slice copy = default;
        if ((!hasRoom && sequence != Window.Next) || !_context.Held.TryCopy(payload, out copy))
        {
            if (!wasMissing) Requests.Add(sequence, 0, TimeSpan.Zero, now);
            return RejectReason.NoRoom;
        }
        Instant ends = now + (head.Life - head.Age - (RoundTrip / 2));
        _context.Counters.PacketsReceived++;
        if (wasMissing) _context.Counters.PacketsRecovered++;
        Window.Hold(ref packet, head, copy);
        packet.Ends = ends;
        packet.At = now;
        packet.State = PacketState.Waiting;
        if (_group.Settings.Replaces && head.IsKeyed) Order.Replace(head.Replaced);
        if (sequence > Window.Next) Requests.WakeFor(ends);
        if (head.IsKeyed && _group.Settings.LatestOnly) Order.DeliverLatest(sequence, now);
        return RejectReason.None;
    }

    private void GiveUpBelow(ulong oldest, Instant now)
    {
        if (oldest > Window.Next) GiveUp(new SequenceRange(Window.Next, oldest));
        Order.Deliver(now);
    }

    private void GiveUp(SequenceRange range)
    {
        ulong end = Math.Min(range.End, Window.Highest + 1);
        for (ulong sequence = Math.Max(range.Start, Window.Next); sequence < end; sequence++)
        {
            ref ReceivedPacket packet = ref Window[sequence];
            if (packet.State == PacketState.Missing) packet.State = PacketState.Lost;
        }
    }
}
