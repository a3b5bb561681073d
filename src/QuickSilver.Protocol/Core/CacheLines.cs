using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics.X86;

namespace QuickSilver.Protocol.Core;

/// <summary>
/// Has the processor load memory that is used soon, while other work goes on. Only a hint: where the processor has no
/// such instruction, nothing happens.
/// </summary>
internal static class CacheLines
{
    /// <summary>Bytes of a line.</summary>
    public const int Bytes = 64;

    /// <summary>Loads the first bytes of an object: the fields that its class declares first. Costs an instruction a
    /// line, and never touches the object.</summary>
    /// <param name="target">The object.</param>
    /// <param name="bytes">How many; a constant.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static unsafe void Fetch(object target, int bytes = 2 * Bytes)
    {
        if (!Sse.IsSupported) return;
        // A collection may move the object meanwhile; then a line is loaded in vain.
        byte* start = (byte*)Unsafe.AsPointer(ref Unsafe.As<StrongBox<byte>>(target).Value);
        for (int at = 0; at < bytes; at += Bytes) Sse.Prefetch0(start + at);
    }

    /// <summary>Loads the line at a distance from the beginning of some bytes, which may be behind their end.</summary>
    /// <param name="bytes">The bytes.</param>
    /// <param name="distance">The distance.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static unsafe void Fetch(ReadOnlySpan<byte> bytes, int distance)
    {
        if (!Sse.IsSupported) return;
        Sse.Prefetch0((byte*)Unsafe.AsPointer(ref MemoryMarshal.GetReference(bytes)) + distance);
    }
}
