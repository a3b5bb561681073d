using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Testing.Network;

/// <summary>The ways in which a datagram is damaged: flipped bits, a cut tail, garbage behind the tail, a zeroed
/// stretch, or the tail of another datagram.</summary>
internal static class Damage
{
    private const int Ways = 5;
    private const int MostGarbage = 32;

    /// <summary>A damaged copy; one that equals the original after all (zeroes over zeroes) does not count as
    /// damaged.</summary>
    /// <param name="pool">Gives the copy its memory.</param>
    /// <param name="original">The datagram.</param>
    /// <param name="other">The datagram sent before it, for a splice; may be null.</param>
    /// <param name="bits">Decides how.</param>
    public static Datagram Copy(DatagramPool pool, Datagram original, Datagram? other, ulong bits)
    {
        Span<byte> bytes = new byte[original.Length + MostGarbage];
        original.Span.CopyTo(bytes);
        int length = original.Length;
        ulong more = SeededRandom.Mix(bits);
        int at = (int)(more % (ulong)Math.Max(1, length));
        switch (bits % Ways)
        {
            case 1 when length > 1:
                length = at;
                break;
            case 2:
                int garbage = 1 + (int)((more >> 32) % MostGarbage);
                for (int index = 0; index < garbage; index++) bytes[length + index] = (byte)(more >> (index % 8));
                length += garbage;
                break;
            case 3:
                bytes[at..Math.Min(length, at + 1 + (int)((more >> 32) % 64))].Clear();
                break;
            case 4 when other is not null && other.Length > at:
                int tail = Math.Min(length, other.Length);
                other.Span[at..tail].CopyTo(bytes[at..]);
                break;
            default:
                for (int flips = 1 + (int)((more >> 60) & 3); flips > 0; flips--)
                {
                    bytes[at] ^= (byte)(1 << (int)(more & 7));
                    more = SeededRandom.Mix(more);
                    at = (int)(more % (ulong)length);
                }
                break;
        }
        bool damaged = !original.Span.SequenceEqual(bytes[..length]);
        // A tail that is longer than all that differs: the other datagram, whole.
        int shared = other is null ? 0 : Math.Min(length, other.Length);
        // Copies by unicast are equal to the multicast before them, and come from another socket.
        bool isOther = shared >= DatagramHeader.Length && other!.Span[..shared].SequenceEqual(bytes[..shared])
            && !other.Span.SequenceEqual(original.Span);
        Datagram copy = pool.Rent(bytes[..length], original.Source, isOther ? other!.From : original.From, damaged);
        // Garbage behind a sealed datagram does no harm.
        bool isWhole = length >= original.Length && bytes[..original.Length].SequenceEqual(original.Span);
        copy.Plain = isWhole ? original.Plain : isOther && shared == other!.Length ? other.Plain : null;
        return copy;
    }
}
