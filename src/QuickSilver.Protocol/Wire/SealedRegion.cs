using System.Buffers.Binary;

namespace QuickSilver.Protocol.Wire;

/// <summary>
/// What a sealed <see cref="HybridPacket"/> has for each region, behind the tag of its text: the key of the text,
/// sealed by the sender for the members of one view.
/// <code>
///  0  4 view tag       ViewNumber.Tag
///  4  4 view counter   ViewNumber.Counter
///  8  2 writer         index of the sender in the view; 65,535: no member
/// 10  8 counter        of the sender in the view and the lane, from 1
/// 18  4 gate           low half of SipHash-2-4 under the view's gate key of the header and all fields but the gate
/// 22 32 sealed key
/// 54 32 tag            covers the header, bytes 0 to 17, and a digest of the text with its counter and tag;
///                      zeros behind a shorter one
/// </code>
/// </summary>
internal static class SealedRegion
{
    /// <summary>Bytes of one region.</summary>
    public const int Length = 86;

    /// <summary>The most regions in a datagram.</summary>
    public const int Most = 32;

    /// <summary>Bytes of the view's fields, the writer and the counter.</summary>
    public const int FieldBytes = 18;

    private const int WriterOffset = 8;
    private const int CounterOffset = 10;
    private const int KeyOffset = FieldBytes + SealedHeader.GateBytes;
    private const int TagOffset = Length - SealedHeader.MostTagBytes;

    /// <summary>Writes the fields that are not sealed.</summary>
    /// <param name="region">Destination.</param>
    /// <param name="tag">Tag of the view's number.</param>
    /// <param name="viewCounter">Counter of the view's number.</param>
    /// <param name="writer">Index of the sender in the view.</param>
    /// <param name="counter">The sender's counter.</param>
    public static void WriteFields(Span<byte> region, uint tag, uint viewCounter, ushort writer, ulong counter)
    {
        BinaryPrimitives.WriteUInt32LittleEndian(region, tag);
        BinaryPrimitives.WriteUInt32LittleEndian(region[sizeof(uint)..], viewCounter);
        BinaryPrimitives.WriteUInt16LittleEndian(region[WriterOffset..], writer);
        BinaryPrimitives.WriteUInt64LittleEndian(region[CounterOffset..], counter);
    }

    /// <summary>Tag of the view's number.</summary>
    public static uint ViewTagOf(ReadOnlySpan<byte> region) => BinaryPrimitives.ReadUInt32LittleEndian(region);

    /// <summary>Counter of the view's number.</summary>
    public static uint ViewCounterOf(ReadOnlySpan<byte> region) =>
        BinaryPrimitives.ReadUInt32LittleEndian(region[sizeof(uint)..]);

    /// <summary>Index of the sender in the view.</summary>
    public static ushort WriterOf(ReadOnlySpan<byte> region) =>
        BinaryPrimitives.ReadUInt16LittleEndian(region[WriterOffset..]);

    /// <summary>The sender's counter.</summary>
    public static ulong CounterOf(ReadOnlySpan<byte> region) =>
        BinaryPrimitives.ReadUInt64LittleEndian(region[CounterOffset..]);

    /// <summary>The gate.</summary>
    public static Span<byte> GateOf(Span<byte> region) => region.Slice(FieldBytes, SealedHeader.GateBytes);

    /// <summary>The sealed key.</summary>
    public static Span<byte> KeyOf(Span<byte> region) => region[KeyOffset..TagOffset];

    /// <summary>The tag of the sealed key, and what is behind it.</summary>
    public static Span<byte> TagOf(Span<byte> region) => region[TagOffset..];
}
