using System.Diagnostics;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Timed.Receiving;

/// <summary>
/// What one sender is asked for. A missing packet is asked for after a drawn wait, by a multicast in the asker's
/// region: who lacks it, too, hears that and waits on. After a request the wait begins again, twice as long, until
/// the packet is worth nothing. A packet that an answer could not bring in time is not asked for.
/// <para>
/// One alarm serves all holes of a sender: it is set for the first thing to do, and looks at the window then. O(1) a
/// packet; O(window) each time that the alarm fires.
/// </para>
/// </summary>
internal sealed class HoleRequests : ITimedWord
{
    private const int MaxTries = 30;

    // The longest wait before a first request is not shorter than this.
    private static readonly TimeSpan LeastNakWait = TimeSpan.FromMilliseconds(2);

    // Messages behind a hole go on shortly before the first of them would be too old.
    private static readonly TimeSpan Margin = TimeSpan.FromMilliseconds(2);

    private readonly TimedContext _context;
    private readonly TimedStay _group;
    private readonly TimedReceiver _receiver;
    private readonly PacketWindow _window;
    private readonly Alarm _due;
    private readonly SequenceRange[] _ranges = new SequenceRange[TimedNakBody.MaxRanges];
    private int _rangeCount;
    private bool _isQueued;
    private bool _isDirect;
    private Stage _stage;

    public HoleRequests(TimedContext context, TimedStay group, TimedReceiver receiver)
    {
        _context = context;
        _group = group;
        _receiver = receiver;
        _window = receiver.Window;
        _due = new Alarm(context.Mode.Alarms, OnDue);
    }

    private enum Stage : byte
    {
        Begin,
        ToSender,
        End,
    }

    /// <summary>Draws a wait before a request.</summary>
    public TimeSpan DrawWait(int tries)
    {
        TimedSettings settings = _group.Settings;
        TimeSpan longest = _receiver.RoundTrip * settings.NakRoundTrips;
        if (longest < LeastNakWait) longest = LeastNakWait;
        // The answer must still find time, and a second request, too.
        TimeSpan most = (settings.TimeToLive - _receiver.RoundTrip) / 2;
        if (settings.MindsDeadlines && most > TimeSpan.Zero && longest > most) longest = most;
        return NakWait.Draw(
            settings.NakTimers, longest, _receiver.RoundTrip, _group.MembersHere, tries, _context.Mode.Random);
    }

    /// <summary>A packet is missing.</summary>
    /// <param name="sequence">The packet, known to the window.</param>
    /// <param name="worth">Its worth, as far as it is known.</param>
    /// <param name="wait">The drawn wait.</param>
    /// <param name="now">The present instant.</param>
    public void Add(ulong sequence, int worth, TimeSpan wait, Instant now)
    {
        Debug.Assert(_window[sequence].Sequence == sequence, "the packet has its place");
        TimedSettings settings = _group.Settings;
        ref ReceivedPacket packet = ref _window[sequence];
        bool mayBeReplaced = worth == PacketWorth.Replaceable && settings.Replaces;
        packet.State = PacketState.Missing;
        packet.Ends = now + settings.LifeOf(worth);
        packet.At = now + settings.Grace + wait + (mayBeReplaced ? settings.ReplacementWait : TimeSpan.Zero);
        _due.SetIfEarlier(packet.At < packet.Ends ? packet.At : packet.Ends);
        if (!settings.MindsDeadlines || now + _receiver.RoundTrip <= packet.Ends) return;
        packet.At = Instant.Never;
        _context.Counters.TooLateToAsk++;
    }

    /// <summary>A message waits for its turn, and ends at an instant.</summary>
    public void WakeFor(Instant ends) => _due.SetIfEarlier(ends - Margin);

    /// <summary>Another member has asked for packets: this one waits whether they come.</summary>
    public void OnHeard(SequenceRangeList ranges, Instant now)
    {
        Instant later = now + _receiver.RoundTrip + DrawWait(1);
        bool isSilenced = false;
        foreach (SequenceRange range in ranges)
        {
            ulong end = Math.Min(range.End, _window.Highest + 1);
            for (ulong sequence = Math.Max(range.Start, _window.Next); sequence < end; sequence++)
            {
                ref ReceivedPacket packet = ref _window[sequence];
                if (packet.State != PacketState.Missing || packet.At >= later) continue;
                packet.At = later;
                isSilenced = true;
            }
        }
        if (isSilenced) _context.Counters.NaksSuppressed++;
    }

    /// <summary>Ends the timer.</summary>
    public void Close() => _due.Cancel();

    /// <inheritdoc/>
    public bool TryWrite(byte[] room, Instant now, out TimedDatagram word)
    {
        word = default;
        RegionView? own = _group.OwnView;
        if (_stage == Stage.Begin && !_receiver.IsOver && own is not null && Collect(now))
        {
            _stage = Stage.ToSender;
            if (!own.Multicast.IsNone)
            {
                word = new TimedDatagram(Write(room, DatagramKind.TimedNak, own, now), own, null);
                return true;
            }
        }
        if (_stage == Stage.ToSender && own is not null)
        {
            _stage = Stage.End;
            bool hearsMulticast = !own.Multicast.IsNone && own.IndexOf(_receiver.Sender.Number.Key) >= 0;
            if ((!hearsMulticast || _isDirect) && !_receiver.Sender.IsRemoved)
            {
                word = new TimedDatagram(Write(room, DatagramKind.TimedAsk, own, now), null, _receiver.Sender);
                return true;
            }
        }
        _stage = Stage.Begin;
        _isQueued = false;
        if (!_receiver.IsOver) SetAlarm(now);
        return false;
    }

    private int Write(byte[] room, DatagramKind kind, RegionView own, Instant now)
    {
        var writer = new WireWriter(room.AsSpan(DatagramHeader.Length));
        TimedNakBody.Write(
            ref writer, _group.Id.Counter, _isDirect, _receiver.Echo.Probe, _receiver.Echo.HeldFor(now),
            _ranges.AsSpan(0, _rangeCount));
        int length = DatagramHeader.Length + writer.Written;
        _context.Mode.Header(kind, own, _receiver.Sender.Number.Key).WriteTo(room.AsSpan(0, length));
        return length;
    }

    private void OnDue(Instant now)
    {
        if (_receiver.IsOver || !_receiver.IsStarted) return;
        GiveUp(now);
        _receiver.Order.Deliver(now);
        if (_receiver.IsOver) return;
        if (IsAnyDue(now) && !_isQueued)
        {
            _isQueued = true;
            _stage = Stage.Begin;
            _context.Words.Add(this);
        }
        SetAlarm(now);
    }

    // Holes that have ended, and holes before a message that is about to end.
    private void GiveUp(Instant now)
    {
        ulong urgent = 0;
        for (ulong sequence = _window.Next; sequence <= _window.Highest; sequence++)
        {
            ref ReceivedPacket packet = ref _window[sequence];
            if (packet.State == PacketState.Missing && packet.Ends <= now) packet.State = PacketState.Lost;
            else if (packet.State == PacketState.Waiting && packet.Ends - Margin <= now) urgent = sequence;
        }
        for (ulong sequence = _window.Next; sequence < urgent; sequence++)
        {
            ref ReceivedPacket packet = ref _window[sequence];
            if (packet.State != PacketState.Missing) continue;
            packet.State = PacketState.Lost;
            _context.Probes.Reached("a missing packet is given up for the messages that wait behind it");
        }
    }

    private bool IsAnyDue(Instant now)
    {
        bool any = false;
        for (ulong sequence = _window.Next; sequence <= _window.Highest; sequence++)
        {
            ref ReceivedPacket packet = ref _window[sequence];
            if (packet.State != PacketState.Missing || packet.At > now) continue;
            if (_group.Settings.MindsDeadlines && now + _receiver.RoundTrip > packet.Ends)
            {
                packet.At = Instant.Never;
                _context.Counters.TooLateToAsk++;
                continue;
            }
            any = true;
        }
        return any;
    }

    private bool Collect(Instant now)
    {
        _rangeCount = 0;
        _isDirect = false;
        for (ulong sequence = _window.Next; sequence <= _window.Highest; sequence++)
        {
            ref ReceivedPacket packet = ref _window[sequence];
            if (packet.State != PacketState.Missing || packet.At > now) continue;
            bool continues = _rangeCount > 0 && _ranges[_rangeCount - 1].End == sequence;
            if (continues) _ranges[_rangeCount - 1] = new SequenceRange(_ranges[_rangeCount - 1].Start, sequence + 1);
            else if (_rangeCount == _ranges.Length) break;
            else _ranges[_rangeCount++] = new SequenceRange(sequence, sequence + 1);
            _isDirect |= packet.Tries > 0;
            if (packet.Tries < MaxTries) packet.Tries++;
            packet.At = now + _receiver.RoundTrip + DrawWait(packet.Tries);
        }
        if (_rangeCount > 0) _context.Counters.NaksSent++;
        return _rangeCount > 0;
    }

    // While a request waits for the socket, what is due is in it.
    private void SetAlarm(Instant now)
    {
        Instant next = Instant.Never;
        for (ulong sequence = _window.Next; sequence <= _window.Highest; sequence++)
        {
            ref ReceivedPacket packet = ref _window[sequence];
            Instant due = packet.State switch
            {
                PacketState.Missing when _isQueued && packet.At <= now => packet.Ends,
                PacketState.Missing => packet.At < packet.Ends ? packet.At : packet.Ends,
                PacketState.Waiting => packet.Ends - Margin,
                _ => Instant.Never,
            };
            if (due < next) next = due;
        }
        if (next == Instant.Never) _due.Cancel();
        else _due.Set(next > now ? next : now + Margin);
    }
}
