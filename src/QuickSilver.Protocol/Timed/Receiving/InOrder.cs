using System.Diagnostics;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Timed.Receiving;

/// <summary>
/// Delivers one sender's messages: in order, each at most once, none after its time; what was given up is passed over
/// and reported, by the numbers of the messages around it. With <see cref="TimedSettings.LatestOnly"/>, a message with
/// a key is delivered when it comes, if none newer with its key was.
/// <para>
/// Fragments need no table: a message's packets lie side by side in the window, and it is complete when the cursor
/// finds all of them there. So the cost is linear in the size of a message, whatever the order of its packets.
/// </para>
/// </summary>
internal sealed class InOrder
{
    private const int MaxKeys = 4096;

    private readonly TimedContext _context;
    private readonly TimedStay _group;
    private readonly TimedReceiver _receiver;
    private readonly PacketWindow _window;
    private readonly Dictionary<ulong, ulong>? _latest;
    private ulong _highestNumber;
    private ulong _examined;
    private ulong _endSequence;
    private ulong _endNumber;
    private bool _isDelivering;

    public InOrder(TimedContext context, TimedStay group, TimedReceiver receiver)
    {
        _context = context;
        _group = group;
        _receiver = receiver;
        _window = receiver.Window;
        if (group.Settings.LatestOnly) _latest = [];
    }

    /// <summary>Number of the next message in order; 0 before the start.</summary>
    public ulong NextNumber { get; private set; }

    /// <summary>Sets the number of the first message of the stay.</summary>
    public void StartAt(ulong number) => NextNumber = number;

    /// <summary>Notes the last message that the sender has announced.</summary>
    public void NoteEnd(ulong sequence, ulong number)
    {
        if (sequence < _endSequence) return;
        _endSequence = sequence;
        _endNumber = number;
    }

    /// <summary>Delivers what has its turn, and passes over what was given up.</summary>
    public void Deliver(Instant now)
    {
        if (_isDelivering) return;
        _isDelivering = true;
        while (!_receiver.IsOver && _window.Next <= _window.Highest && TryPass(now))
        {
        }
        _isDelivering = false;
        bool isAtEnd = _window.Next > _window.Highest && _endSequence == _window.Highest;
        if (!_receiver.IsOver && isAtEnd) PassNumber(_endNumber + 1, isNext: true, now);
    }

    /// <summary>Gives up everything below a packet.</summary>
    public void SkipTo(ulong sequence, Instant now)
    {
        Debug.Assert(sequence > 0, "sequences begin at 1");
        Deliver(now);
        while (!_receiver.IsOver && _window.Next < sequence && _window.Next <= _window.Highest)
        {
            // What stops the cursor is missing, or the beginning of a message that is not whole.
            _window[_window.Next].State = PacketState.Lost;
            Deliver(now);
        }
        if (_receiver.IsOver || _window.Next >= sequence) return;
        _window.Next = sequence;
        if (_window.Highest < sequence - 1) _window.Highest = sequence - 1;
    }

    /// <summary>A newer message replaces others: those that are missing are not needed any longer.</summary>
    public void Replace(in TimedReplaced replaced)
    {
        for (int index = 0; index < replaced.Count; index++)
        {
            TimedReplaced.Entry entry = replaced[index];
            for (ulong sequence = entry.First; sequence < entry.First + (ulong)entry.Packets; sequence++)
            {
                if (!_window.IsOpen(sequence)) continue;
                ref ReceivedPacket packet = ref _window[sequence];
                bool isWaiting = packet.State == PacketState.Waiting && _group.Settings.LatestOnly;
                if (packet.State != PacketState.Missing && !isWaiting) continue;
                packet.State = PacketState.Replaced;
                packet.Number = entry.Number;
                _context.Counters.Replaced++;
            }
        }
    }

    /// <summary>A packet of a keyed message has come: delivers the message, if it is whole and the newest.</summary>
    public void DeliverLatest(ulong sequence, Instant now)
    {
        Debug.Assert(_latest is not null, "only the latest of a key is wanted");
        Debug.Assert(_window.IsOpen(sequence), "the packet is in the window");
        ReceivedPacket packet = _window[sequence];
        ulong first = sequence - (ulong)packet.Index;
        if (first < _window.Next || !IsWhole(first, packet.Count, packet.Number)) return;
        bool isLatest = IsLatest(packet.Key, packet.Number);
        PacketState state = isLatest && packet.Ends > now ? PacketState.Delivered : PacketState.Replaced;
        for (int index = 0; index < packet.Count; index++) _window[first + (ulong)index].State = state;
        if (state == PacketState.Delivered) Hand(first, packet.Count, packet.Number, now);
        else if (isLatest) _context.Counters.CameTooLate++;
        else _context.Counters.Replaced++;
    }

    // Takes one step at the cursor; false when it has to wait.
    private bool TryPass(Instant now)
    {
        Debug.Assert(_isDelivering && _window.IsOpen(_window.Next), "the cursor is in the window");
        ref ReceivedPacket packet = ref _window[_window.Next];
        switch (packet.State)
        {
            case PacketState.Missing:
                return false;
            case PacketState.Waiting:
                return TryPassMessage(ref packet, now);
            case PacketState.Delivered or PacketState.Replaced:
                PassNumber(packet.Number, isNext: false, now);
                break;
        }
        if (_receiver.IsOver) return false;
        _receiver.Pass(ref packet);
        _window.Next++;
        return true;
    }

    private bool TryPassMessage(ref ReceivedPacket packet, Instant now)
    {
        ulong first = _window.Next;
        int count = packet.Count;
        ulong number = packet.Number;
        bool isTooLate = packet.Ends <= now;
        bool isOrphan = packet.Index > 0;
        if (!isOrphan && !isTooLate)
        {
            if (_examined < first) _examined = first;
            while (_examined < first + (ulong)count)
            {
                if (_examined > _window.Highest || _window[_examined].State == PacketState.Missing) return false;
                if (!IsPartOf(first, number)) break;
                _examined++;
            }
            if (_examined == first + (ulong)count)
            {
                for (int index = 0; index < count; index++)
                    _window[first + (ulong)index].State = PacketState.Delivered;
                PassNumber(number, isNext: true, now);
                if (_receiver.IsOver) return false;
                if (number < NextNumber) _context.Counters.Duplicates++;
                else
                {
                    NextNumber = number + 1;
                    Hand(first, count, number, now);
                }
                return !_receiver.IsOver;
            }
            _context.Probes.Reached("a message of a timed group is given up with some of its packets here");
        }
        if (isTooLate && !isOrphan) _context.Counters.CameTooLate++;
        packet.State = PacketState.Lost;
        _receiver.Pass(ref packet);
        _window.Next++;
        return true;
    }

    private bool IsPartOf(ulong first, ulong number)
    {
        ref ReceivedPacket part = ref _window[_examined];
        return part.State == PacketState.Waiting && part.Number == number && part.Index == (int)(_examined - first);
    }

    private bool IsWhole(ulong first, int count, ulong number)
    {
        for (int index = 0; index < count; index++)
        {
            ulong sequence = first + (ulong)index;
            if (sequence > _window.Highest) return false;
            ref ReceivedPacket part = ref _window[sequence];
            if (part.State != PacketState.Waiting || part.Number != number || part.Index != index) return false;
        }
        return true;
    }

    private bool IsLatest(ulong key, ulong number)
    {
        if (_latest!.TryGetValue(key, out ulong latest)) return number > latest;
        // With too many keys, one that is not remembered must be newer than all.
        return _latest.Count < MaxKeys || number > _highestNumber;
    }

    // Passes the number of a message that was delivered or replaced; those before it are lost. With isNext, up to it.
    private void PassNumber(ulong number, bool isNext, Instant now)
    {
        if (number == 0 || number < NextNumber) return;
        ulong first = NextNumber;
        NextNumber = isNext ? number : number + 1;
        if (first == 0 || number == first) return;
        _group.ReportLoss(_receiver.Sender, first, number - first, now);
    }

    private void Hand(ulong first, int count, ulong number, Instant now)
    {
        if (number > _highestNumber) _highestNumber = number;
        ref ReceivedPacket packet = ref _window[first];
        if (packet.IsKeyed && _latest is not null && (_latest.Count < MaxKeys || _latest.ContainsKey(packet.Key)))
            _latest[packet.Key] = number;
        if (!TryJoin(first, count, out Slice message))
        {
            _group.ReportLoss(_receiver.Sender, number, 1, now);
            return;
        }
        _group.Deliver(_receiver.Sender, number, message, now);
        message.Release();
    }

    // False when there is no memory for a message of several packets.
    private bool TryJoin(ulong first, int count, out Slice message)
    {
        if (count == 1)
        {
            message = _window[first].Payload;
            message.Retain();
            return true;
        }
        int length = 0;
        for (int index = 0; index < count; index++) length += _window[first + (ulong)index].Payload.Length;
        if (!_context.Joined.TryTake(length, out message)) return false;
        int offset = 0;
        for (int index = 0; index < count; index++)
        {
            ReadOnlySpan<byte> part = _window[first + (ulong)index].Payload.Span;
            part.CopyTo(message.Span[offset..]);
            offset += part.Length;
        }
        _context.Counters.Joined++;
        return true;
    }
}
