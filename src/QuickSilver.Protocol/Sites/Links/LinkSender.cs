using System.Diagnostics;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Sites.Frames;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Sites.Links;

/// <summary>
/// The sending end of a link: records that wait, packets that are open, and which of them leaves next. A record gets
/// its link number as it leaves, so the numbers of a link have no holes of their own. What was asked for goes first.
/// </summary>
internal sealed class LinkSender(LinkSettings settings, LinkRoundTrip roundTrip, LinkCounters counters)
{
    private readonly LinkQueue _waiting = new();
    private readonly RingQueue<ulong> _again = new();
    private readonly OpenTable _open = new(settings.OpenPackets);
    private readonly Regulator _regulator = new(settings, roundTrip);
    private readonly ParityWriter _parity = new(settings, roundTrip);
    private ulong _rebuilt;
    private ulong _peerHighest;
    private TimeSpan _peerTime;
    private double _inFlight;
    private double _againInFlight;
    private int _window;
    private TimeSpan _linger;
    private Instant _lingerAt = Instant.Never;

    /// <summary>How fast the link sends.</summary>
    public Regulator Regulator => _regulator;

    /// <summary>Records that wait for their turn.</summary>
    public int Waiting => _waiting.Count;

    /// <summary>Packets that are not acknowledged.</summary>
    public int Open => _open.Count;

    /// <summary>The highest link number that was sent.</summary>
    public ulong Highest => _open.Highest;

    /// <summary>When the end of the stream is said again; never while nothing is open.</summary>
    public Instant LingerDue => _lingerAt;

    private bool HasRoom => _open.Count < Math.Min(settings.OpenPackets, _window);

    private bool MaySendNew => _waiting.Count > 0 && HasRoom && _inFlight + _againInFlight < _regulator.InFlightCap;

    /// <summary>Begins again, for a new epoch.</summary>
    /// <param name="window">Packets beyond the cumulative number that the other end takes.</param>
    /// <param name="now">The present instant.</param>
    public void Reset(int window, Instant now)
    {
        Debug.Assert(_open.Count == 0 && _again.Count == 0, "what was open has been taken out");
        _window = window;
        _peerHighest = 0;
        _peerTime = default;
        _inFlight = _againInFlight = 0;
        _rebuilt = 0;
        _linger = default;
        _lingerAt = Instant.Never;
        _regulator.Reset(now);
    }

    /// <summary>Takes a record, to be sent when its turn comes.</summary>
    public void Offer(LinkItem item) => _waiting.Enqueue(item);

    /// <summary>Takes out all that is not acknowledged or waits, each flow in the order in which it was
    /// offered.</summary>
    public List<LinkItem> TakeAll()
    {
        var left = new List<LinkItem>(_open.Count + _waiting.Count);
        for (ulong number = _open.Cumulative + 1; number <= _open.Highest; number++) left.Add(_open[number].Item);
        while (_waiting.Count > 0) left.Add(_waiting.Dequeue());
        while (_again.Count > 0) _again.Dequeue();
        _open.Clear();
        _parity.Clear();
        _lingerAt = Instant.Never;
        return left;
    }

    /// <summary>When a packet may leave; never while none may.</summary>
    public Instant NextSend(Instant now)
    {
        Instant next = _again.Count == 0 && !MaySendNew ? _parity.Due : now;
        if (next < now) next = now;
        return _regulator.NextSend > next ? _regulator.NextSend : next;
    }

    /// <summary>Gives the packet that leaves now.</summary>
    /// <returns>Its link number; 0 when none may leave.</returns>
    public ulong TakeNext(Instant now, out LinkItem item)
    {
        item = default;
        if (_waiting.Count == 0) _regulator.OnIdle();
        else if (!HasRoom) _regulator.OnWindowFull();
        if (_regulator.NextSend > now) return 0;
        ulong number = TakeAgain();
        bool isAgain = number > 0;
        if (!isAgain)
        {
            if (!MaySendNew) return 0;
            _open.Add(_waiting.Dequeue());
            number = _open.Highest;
            _inFlight += _open[number].Item.Length;
            counters.Sent++;
            _parity.Add(number, _open[number].Item, now);
        }
        ref OpenPacket packet = ref _open[number];
        packet.SentAt = now;
        packet.WasProbe = _regulator.IsProbing;
        if (isAgain) counters.Resent++;
        if (_lingerAt == Instant.Never) RestartLinger(now);
        item = packet.Item;
        return number;
    }

    /// <summary>True when a parity leaves now: before the next packet, so that its set does not wait.</summary>
    public bool IsParityDue(Instant now) => _parity.Due <= now && _regulator.NextSend <= now;

    /// <summary>Writes the parity that leaves now.</summary>
    public void WriteParity(ref WireWriter writer)
    {
        _parity.Write(ref writer);
        counters.Parities++;
    }

    /// <summary>The packet has left.</summary>
    public void OnSent(int bytes, Instant now)
    {
        counters.SentBytes += (ulong)bytes;
        _regulator.OnSent(bytes, now);
    }

    /// <summary>The end of the stream has been said again.</summary>
    public void OnLingered(Instant now)
    {
        counters.Lingers++;
        _linger = Min(_linger * 2, settings.LingerCap);
        _lingerAt = now + _linger;
    }

    /// <summary>Takes feedback.</summary>
    /// <returns>False when it speaks of what was never sent.</returns>
    public bool OnFeedback(in LinkFeedback feedback, Instant now)
    {
        if (feedback.Highest > _open.Highest || feedback.Echo > feedback.Highest) return false;
        foreach (SequenceRange range in feedback.Nacks)
        {
            if (range.Start == 0 || range.End > _open.Highest + 1) return false;
        }
        if (feedback.Time < _peerTime || feedback.Cumulative < _open.Cumulative)
        {
            // Overtaken on its way: its counts are old, but what it asks for is asked for nowhere else.
            foreach (SequenceRange range in feedback.Nacks) SendAgain(range, now);
            return true;
        }
        _peerTime = feedback.Time;
        Measure(feedback, now);
        bool moved = feedback.Cumulative > _open.Cumulative || feedback.Highest > _peerHighest;
        LeaveFlight(feedback.Highest);
        while (_open.Cumulative < feedback.Cumulative) Acknowledge();
        _parity.OnAcknowledged(_open.Cumulative);
        foreach (SequenceRange range in feedback.Nacks) SendAgain(range, now);
        _regulator.OnFeedback(
            feedback.Bytes, feedback.Time, _peerHighest, _open.Highest, _inFlight + _againInFlight, now);
        if (_open.Count == 0) _lingerAt = Instant.Never;
        else if (moved || feedback.Nacks.Count > 0) RelaxLinger(now);
        return true;
    }

    /// <summary>The other end has told how many packets it lacked, rebuilt, and did not ask for: all of this epoch, and
    /// no more than were sent.</summary>
    public void OnRebuilt(ulong all)
    {
        Debug.Assert(all <= _open.Highest, "what was rebuilt was sent");
        _regulator.OnRebuilt((long)(all - _rebuilt));
        _rebuilt = all;
    }

    private ulong TakeAgain()
    {
        while (_again.Count > 0)
        {
            ulong number = _again.Dequeue();
            if (number <= _open.Cumulative) continue;
            _open[number].IsQueued = false;
            return number;
        }
        return 0;
    }

    private void Measure(in LinkFeedback feedback, Instant now)
    {
        if (feedback.Echo <= _open.Cumulative || _open[feedback.Echo].WasLost) return;
        TimeSpan sample = now - _open[feedback.Echo].SentAt - feedback.Held;
        if (sample < TimeSpan.Zero) return;
        roundTrip.Add(sample, now);
        _regulator.OnRoundTrip(sample);
    }

    // A packet is on its way until the other end has seen its number, or one above it.
    private void LeaveFlight(ulong highest)
    {
        for (ulong number = _peerHighest + 1; number <= highest; number++) _inFlight -= _open[number].Item.Length;
        if (highest > _peerHighest) _peerHighest = highest;
    }

    private void Acknowledge()
    {
        ref OpenPacket packet = ref _open[_open.Cumulative + 1];
        if (packet.WasLost) _againInFlight -= packet.Item.Length;
        _regulator.OnAcknowledged(packet.WasLost, packet.WasProbe);
        _open.RemoveFirst();
    }

    private void SendAgain(SequenceRange range, Instant now)
    {
        for (ulong number = Math.Max(range.Start, _open.Cumulative + 1); number < range.End; number++)
        {
            ref OpenPacket packet = ref _open[number];
            // It is on its way: the request left before it can have come.
            if (packet.IsQueued || now - packet.SentAt < roundTrip.Least / 2) continue;
            if (!packet.WasLost) _againInFlight += packet.Item.Length;
            packet.WasLost = true;
            packet.IsQueued = true;
            _again.Enqueue(number);
        }
    }

    private void RestartLinger(Instant now)
    {
        if (settings.IsStream) return;
        _linger = Max(_linger, LingerBase());
        _lingerAt = now + _linger;
    }

    private void RelaxLinger(Instant now)
    {
        if (settings.IsStream) return;
        _linger = Max(_linger * 7 / 8, LingerBase());
        _lingerAt = now + _linger;
    }

    // An acknowledgement may wait for a second packet.
    private TimeSpan LingerBase() => Min(
        Max(Max(roundTrip.Smoothed * 2, roundTrip.Smoothed + settings.AckDelay), settings.LingerFloor),
        settings.LingerCap);

    private static TimeSpan Max(TimeSpan left, TimeSpan right) => left > right ? left : right;

    private static TimeSpan Min(TimeSpan left, TimeSpan right) => left < right ? left : right;
}
