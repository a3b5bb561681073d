using System.Diagnostics;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Timed.Receiving;

/// <summary>
/// The last packets of one sender at a receiver: those that wait, those that are missing, and those that were delivered
/// and may serve others. Made once, for the contract's rate and time to live. Every packet from <see cref="Next"/> to
/// <see cref="Highest"/> is in it.
/// </summary>
/// <param name="capacity">How many packets it has: a power of two.</param>
/// <param name="counters">Counts the bytes held.</param>
internal sealed class PacketWindow(int capacity, TimedCounters counters)
{
    private readonly ReceivedPacket[] _packets = new ReceivedPacket[capacity];
    private ulong _oldestHeld = 1;
    private SharedPlace? _place;

    /// <summary>How many packets the window has.</summary>
    public int Capacity => _packets.Length;

    /// <summary>The first packet that was not passed: delivered, given up or replaced, with all before it.</summary>
    public ulong Next { get; set; }

    /// <summary>The highest packet that is known of.</summary>
    public ulong Highest { get; set; }

    /// <summary>A packet in the window.</summary>
    public ref ReceivedPacket this[ulong sequence] => ref _packets[sequence & (ulong)(_packets.Length - 1)];

    /// <summary>True while a packet has not been passed and is known of.</summary>
    public bool IsOpen(ulong sequence) => sequence >= Next && sequence <= Highest;

    /// <summary>True when the bytes of a packet are here and worth something.</summary>
    public bool IsHeld(ulong sequence, Instant now) =>
        this[sequence].Sequence == sequence && this[sequence].IsHeld && this[sequence].Ends > now;

    /// <summary>Makes room for a packet above the highest; what it displaces was passed.</summary>
    public ref ReceivedPacket Open(ulong sequence)
    {
        ref ReceivedPacket packet = ref this[sequence];
        Release(ref packet);
        packet = new ReceivedPacket { Sequence = sequence };
        return ref packet;
    }

    /// <summary>Keeps a packet that has come.</summary>
    public void Hold(ref ReceivedPacket packet, in TimedHead head, in Slice payload)
    {
        Debug.Assert(!packet.IsHeld, "a packet is held once");
        Debug.Assert(head.Index >= 0 && head.Index < head.Count, "the packet has a place in its message");
        packet.Payload = payload;
        if (_place is null || _place.Value != head.Place) _place = new SharedPlace(head.Place);
        packet.Place = _place;
        packet.Number = head.Number;
        packet.Key = head.Key;
        packet.Life = head.Life;
        packet.Index = (ushort)head.Index;
        packet.Count = (ushort)head.Count;
        packet.Before = head.Before;
        packet.Importance = head.Importance;
        packet.IsKeyed = head.IsKeyed;
        packet.IsHeld = true;
        counters.HeldBytes += payload.Length;
    }

    /// <summary>Gives up the bytes of a packet.</summary>
    public void Release(ref ReceivedPacket packet)
    {
        if (!packet.IsHeld) return;
        counters.HeldBytes -= packet.Payload.Length;
        packet.Payload.Release();
        packet.Payload = default;
        packet.IsHeld = false;
    }

    /// <summary>Gives up the bytes of passed packets that are worth nothing any longer.</summary>
    /// <returns>True when some remain.</returns>
    public bool ReleaseEnded(Instant now)
    {
        if (_oldestHeld + (ulong)_packets.Length <= Highest) _oldestHeld = Highest + 1 - (ulong)_packets.Length;
        while (_oldestHeld < Next && (!this[_oldestHeld].IsHeld || this[_oldestHeld].Ends <= now))
        {
            Release(ref this[_oldestHeld]);
            _oldestHeld++;
        }
        return _oldestHeld <= Highest;
    }

    /// <summary>Gives up all bytes.</summary>
    public void Clear()
    {
        foreach (ref ReceivedPacket packet in _packets.AsSpan()) Release(ref packet);
    }
}
