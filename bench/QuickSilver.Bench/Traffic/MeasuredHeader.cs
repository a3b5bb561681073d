using System.Buffers.Binary;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;

namespace QuickSilver.Bench.Traffic;

/// <summary>
/// The head of every measured payload, QuickSilver's and the raw loops' alike. What follows is filler, every byte the
/// lowest of the index: written by the sender and read by each receiver, so that code that moves a payload without
/// touching it has no better of it. Little endian:
/// <code>
/// offset  length  field
/// 0       4       group, from 0
/// 4       4       phase
/// 8       8       index within the group, from 1
/// 16      8       when it was sent, or was due, in Stopwatch ticks: one clock for all processes of a machine
/// </code>
/// </summary>
/// <param name="Group">Number of the group.</param>
/// <param name="Phase">Part of the run.</param>
/// <param name="Index">Which message of the group, from 1.</param>
/// <param name="Ticks">When it was sent, or was due.</param>
internal readonly record struct MeasuredHeader(int Group, RunPhase Phase, long Index, long Ticks)
{
    /// <summary>Its length, and the shortest payload.</summary>
    public const int Bytes = 24;

    private const int PhaseAt = 4;
    private const int IndexAt = 8;
    private const int TicksAt = 16;

    /// <summary>Writes a whole payload: the head, and filler.</summary>
    public void Write(Span<byte> payload)
    {
        BinaryPrimitives.WriteInt32LittleEndian(payload, Group);
        BinaryPrimitives.WriteInt32LittleEndian(payload[PhaseAt..], (int)Phase);
        BinaryPrimitives.WriteInt64LittleEndian(payload[IndexAt..], Index);
        BinaryPrimitives.WriteInt64LittleEndian(payload[TicksAt..], Ticks);
        payload[Bytes..].Fill((byte)Index);
    }

    /// <summary>True when the payload that this head was read from is as it was written, to the last byte.</summary>
    public bool IsWhole(ReadOnlySpan<byte> payload)
    {
        ReadOnlySpan<byte> filler = payload[Bytes..];
        if (!Vector256.IsHardwareAccelerated || filler.Length < Vector256<byte>.Count)
            return !filler.ContainsAnyExcept((byte)Index);
        // Inline and without an early end: the call alone would cost as much as receiving a small message.
        ref byte first = ref MemoryMarshal.GetReference(filler);
        Vector256<byte> expected = Vector256.Create((byte)Index);
        nuint last = (nuint)(filler.Length - Vector256<byte>.Count);
        Vector256<byte> differing = Vector256.LoadUnsafe(ref first, last) ^ expected;
        for (nuint at = 0; at < last; at += (nuint)Vector256<byte>.Count)
            differing |= Vector256.LoadUnsafe(ref first, at) ^ expected;
        return differing == Vector256<byte>.Zero;
    }

    /// <summary>Reads it from the head of a payload of at least <see cref="Bytes"/>.</summary>
    public static MeasuredHeader Read(ReadOnlySpan<byte> payload) => new(
        BinaryPrimitives.ReadInt32LittleEndian(payload),
        (RunPhase)BinaryPrimitives.ReadInt32LittleEndian(payload[PhaseAt..]),
        BinaryPrimitives.ReadInt64LittleEndian(payload[IndexAt..]),
        BinaryPrimitives.ReadInt64LittleEndian(payload[TicksAt..]));
}
