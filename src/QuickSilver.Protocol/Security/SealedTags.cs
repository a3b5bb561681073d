using System.Runtime.InteropServices;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Security;

/// <summary>
/// The tags of a stream's packets that were sealed last, of a longer tag its beginning. A packet may be sealed again,
/// for another destination: its counter is its sequence, so the result must be the same to the bit. One that is older
/// than those kept is refused. Core thread only; allocates once.
/// </summary>
internal sealed class SealedTags
{
    // Two trains of the greatest count.
    private const int Kept = 128;

    private Entry[]? _entries;
    private ulong _highest;

    [StructLayout(LayoutKind.Sequential)]
    private record struct Entry(ulong Sequence, UInt128 Tag);

    /// <summary>Notes the tag of a packet that was sealed.</summary>
    /// <param name="sequence">The packet.</param>
    /// <param name="tag">Its tag.</param>
    /// <returns>False when it was sealed before with another tag, or so long ago that none is kept.</returns>
    public bool TryNote(ulong sequence, ReadOnlySpan<byte> tag)
    {
        UInt128 value = MemoryMarshal.Read<UInt128>(tag[..SealedHeader.LeastTagBytes]);
        ref Entry entry = ref (_entries ??= new Entry[Kept])[sequence % Kept];
        if (sequence <= _highest) return entry.Sequence == sequence && entry.Tag == value;
        _highest = sequence;
        entry = new Entry(sequence, value);
        return true;
    }
}
