using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Sites.Gateways;

/// <summary>
/// A stream of another site, as far as it has come here: the end-to-end identity by which copies are known, whatever
/// link they take. Begins where the first record says that nothing before it is still to come. Bounded by two windows.
/// </summary>
internal sealed class IncomingStream(StreamId id, ulong first, GatewaySettings settings, IGatewayHost host)
{
    private readonly Dictionary<ulong, byte[]?> _ahead = [];
    private ulong _next = first;
    private ulong _end = first;
    private ulong _taken = first - 1;

    /// <summary>Who sends it.</summary>
    public StreamId Id => id;

    /// <summary>All numbers up to it have come, or never will; and the host has taken them, where it says so.</summary>
    public ulong Held => settings.TellsTaken ? Math.Min(_taken, _next - 1) : _next - 1;

    /// <summary>True while what is held is to be told.</summary>
    public bool IsDirty { get; set; }

    /// <summary>Until when a gap counts as not meant for this site: it has, or lately had, no members of the group. The
    /// first record after that instant is the last for which it does, since nothing may have been sent before. Null: a
    /// gap is a loss.</summary>
    public Instant? PassesUntil { get; set; }

    /// <summary>Records that wait for one before them, or are known beyond a missing one.</summary>
    public int Ahead => _ahead.Count;

    /// <summary>Takes a record.</summary>
    /// <returns>Why it is dropped; none when it is new, <see cref="RejectReason.Replayed"/> for a copy.</returns>
    public RejectReason Accept(
        ulong number, ulong lowest, ReadOnlySpan<byte> payload, GatewayCounters counters, Instant now)
    {
        if (lowest > _next) PassTo(lowest, counters, PassesUntil is not null);
        if (PassesUntil <= now) PassesUntil = null;
        if (number < _next || _ahead.ContainsKey(number)) return RejectReason.Replayed;
        if (number - _next >= 2 * (ulong)settings.Window) return RejectReason.BeyondWindow;
        if (number >= _end) _end = number + 1;
        if (number == _next || !settings.InOrder)
        {
            Deliver(number, payload, counters);
            if (number == _next) _next++;
            else _ahead.Add(number, null);
        }
        else
        {
            _ahead.Add(number, payload.ToArray());
        }
        Advance(counters);
        return RejectReason.None;
    }

    /// <summary>The host has taken all records up to a number.</summary>
    /// <returns>True when more is held than before.</returns>
    public bool OnTaken(ulong number)
    {
        if (number <= _taken) return false;
        _taken = number;
        return true;
    }

    /// <summary>Nothing more comes: what waits is delivered, and what is missing is lost.</summary>
    public void Close(GatewayCounters counters) => PassTo(_end, counters, isPruned: false);

    private void Advance(GatewayCounters counters)
    {
        while (_ahead.Remove(_next, out byte[]? payload))
        {
            if (payload is not null) Deliver(_next, payload, counters);
            _next++;
        }
    }

    private void PassTo(ulong end, GatewayCounters counters, bool isPruned)
    {
        // What lies between what is known here and the new beginning was never seen: one range, however long.
        while (_next < end)
        {
            ulong lost = _next;
            if (_ahead.Count == 0) _next = end;
            while (_next < end && !_ahead.ContainsKey(_next)) _next++;
            if (_next > lost) Leave(new SequenceRange(lost, _next), counters, isPruned);
            Advance(counters);
        }
    }

    private void Leave(SequenceRange numbers, GatewayCounters counters, bool isPruned)
    {
        if (isPruned)
        {
            counters.Passed += numbers.Count;
            host.Pass(id, numbers);
            return;
        }
        counters.Lost += numbers.Count;
        host.Lose(id, numbers);
    }

    private void Deliver(ulong number, ReadOnlySpan<byte> payload, GatewayCounters counters)
    {
        counters.Delivered++;
        host.Deliver(id, number, payload);
    }
}
