using System.Diagnostics;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Lateral;
using QuickSilver.Protocol.Sites.Frames;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Sites.Links;

/// <summary>
/// The set of packets of a sending end whose parity is still to go (<see cref="LinkSettings.ParityEvery"/>). A packet
/// enters it as it leaves for the first time, so its numbers are in a row. The set ends when it is full, and an eighth
/// of the round trip after its first packet at the latest: what is rebuilt is late by no more.
/// <para>
/// Cost: one exclusive or of each record. Holds one record's length; allocates nothing later. Core thread only.
/// </para>
/// </summary>
internal sealed class ParityWriter(LinkSettings settings, LinkRoundTrip roundTrip)
{
    private readonly byte[] _sum = new byte[settings.ParityEvery > 0 ? settings.MaxRecord : 0];
    private ulong _first;
    private int _count;
    private int _longest;
    private int _lengths;

    /// <summary>When the parity of what is there goes; never while nothing is.</summary>
    public Instant Due { get; private set; } = Instant.Never;

    /// <summary>A packet leaves for the first time.</summary>
    public void Add(ulong number, in LinkItem item, Instant now)
    {
        if (settings.ParityEvery == 0) return;
        Debug.Assert(_count < settings.ParityEvery, "the parity of a full set goes before the next packet");
        Debug.Assert(_count == 0 || number == _first + (ulong)_count, "the numbers of a set are in a row");
        if (_count == 0)
        {
            _first = number;
            Due = now + roundTrip.ShortWait(settings.GapDelay);
        }
        GaloisField.Add(_sum, item.Head.Span);
        GaloisField.Add(_sum.AsSpan(item.Head.Length), item.Payload.Span);
        _lengths ^= item.Length;
        _longest = Math.Max(_longest, item.Length);
        if (++_count == settings.ParityEvery) Due = now;
    }

    /// <summary>Writes the parity. The next packet begins another set.</summary>
    public void Write(ref WireWriter writer)
    {
        Debug.Assert(_count > 0, "a set that goes has packets");
        new ParityBody
        {
            First = _first,
            Count = _count,
            Lengths = (ushort)_lengths,
            Parity = _sum.AsSpan(0, _longest),
        }.Write(ref writer);
        Clear();
    }

    /// <summary>All packets up to a number are acknowledged: a set of them needs no parity.</summary>
    public void OnAcknowledged(ulong number)
    {
        if (_count > 0 && _first + (ulong)_count - 1 <= number) Clear();
    }

    /// <summary>Forgets the set.</summary>
    public void Clear()
    {
        _sum.AsSpan(0, _longest).Clear();
        _count = _longest = _lengths = 0;
        Due = Instant.Never;
    }
}
