using System.Diagnostics;
using QuickSilver.Protocol.Core;

namespace QuickSilver.Protocol.Timed.Sending;

/// <summary>
/// The packets that a sender keeps for those who lack them: the last so many, as the contract of the group says. Made
/// once: heads at the start, bytes page by page the first time round. Nothing is freed when packets end, and nothing
/// grows. O(1) a packet. Source: VE paper, section 2, item 1 (buffers of a size known beforehand).
/// </summary>
internal sealed class KeptPackets
{
    private const int PagePackets = 64;

    private readonly KeptPacket[] _packets;
    private readonly byte[]?[] _pages;
    private readonly int _packetBytes;

    /// <summary>Makes an empty memory.</summary>
    /// <param name="capacity">The most packets that are kept: a power of two.</param>
    /// <param name="packetBytes">The most bytes of one packet.</param>
    /// <param name="last">The last packet of the time before; 0: none.</param>
    public KeptPackets(int capacity, int packetBytes, ulong last = 0)
    {
        _packets = new KeptPacket[capacity];
        _pages = new byte[]?[Math.Max(1, capacity / PagePackets)];
        _packetBytes = packetBytes;
        Last = last;
        Oldest = last + 1;
    }

    /// <summary>The last packet added; 0: none.</summary>
    public ulong Last { get; private set; }

    /// <summary>The oldest packet that may still be worth something; above <see cref="Last"/> when none is.</summary>
    public ulong Oldest { get; private set; }

    /// <summary>The most packets that are kept.</summary>
    public int Capacity => _packets.Length;

    /// <summary>A packet that is kept.</summary>
    public ref KeptPacket this[ulong sequence] => ref _packets[sequence & (ulong)(_packets.Length - 1)];

    /// <summary>The bytes of a packet that is kept.</summary>
    public ReadOnlySpan<byte> BytesOf(ulong sequence) => RoomOf(sequence)[..this[sequence].Length];

    /// <summary>True when a packet is there, whatever it is worth.</summary>
    public bool Contains(ulong sequence) => sequence >= Oldest && sequence <= Last;

    /// <summary>True when a packet is there and worth sending again.</summary>
    public bool IsHeld(ulong sequence, Instant now) =>
        Contains(sequence) && !this[sequence].IsDropped && this[sequence].Ends > now;

    /// <summary>Adds a packet behind the last, in the place of the oldest when there is no room.</summary>
    /// <param name="bytes">Its part of the message.</param>
    /// <param name="now">The present instant.</param>
    /// <param name="pushedOut">True when a packet that was still worth something had to go.</param>
    /// <returns>The packet, to be filled in.</returns>
    public ref KeptPacket Add(ReadOnlySpan<byte> bytes, Instant now, out bool pushedOut)
    {
        Debug.Assert(bytes.Length <= _packetBytes, "a packet fits its room");
        pushedOut = false;
        if (Last + 1 - Oldest == (ulong)_packets.Length)
        {
            pushedOut = IsHeld(Oldest, now);
            Oldest++;
        }
        Last++;
        bytes.CopyTo(RoomOf(Last));
        ref KeptPacket packet = ref this[Last];
        packet = new KeptPacket { Sequence = Last, Length = bytes.Length };
        return ref packet;
    }

    /// <summary>
    /// Passes over the oldest packets whose time is over. Those that newer ones replaced stay until then: the newer
    /// ones name them.
    /// </summary>
    /// <param name="now">The present instant.</param>
    /// <param name="unsent">The first that was never sent: nothing from there on is passed over.</param>
    public void Expire(Instant now, ulong unsent)
    {
        while (Oldest < unsent && this[Oldest].Ends <= now) Oldest++;
    }

    private Span<byte> RoomOf(ulong sequence)
    {
        int place = (int)(sequence & (ulong)(_packets.Length - 1));
        int page = place / PagePackets;
        byte[] bytes = _pages[page] ??= new byte[PagePackets * _packetBytes];
        return bytes.AsSpan(place % PagePackets * _packetBytes, _packetBytes);
    }
}
