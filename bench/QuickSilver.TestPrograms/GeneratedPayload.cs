using System.Buffers.Binary;
using System.Numerics;

namespace QuickSilver.TestPrograms;

/// <summary>
/// The payload that Publisher generates and Subscriber checks. It says who sent it, to which group and as which of that
/// publisher's messages there, so that a receiver can tell a damaged, misdirected or reordered message from a good one
/// without knowing anything else. Little endian:
/// <code>
/// offset  length  field
/// 0       4       magic, "QSG1"
/// 4       4       CRC-32C of everything after it
/// 8       8       index within (publisher, group), from 1
/// 16      8       when it was sent, or was due, in Stopwatch ticks: one clock for all processes of a machine
/// 24      1       p, length of the publisher's name
/// 25      1       g, length of the group's name
/// 26      p       the publisher's name, UTF-8
/// 26+p    g       the group's name, UTF-8
/// 26+p+g  rest    filler: the byte at offset i is index + i, modulo 256
/// </code>
/// </summary>
internal readonly ref struct GeneratedPayload
{
    private const uint Magic = 0x31475351;
    private const int ChecksumAt = 4;
    private const int CheckedFrom = 8;
    private const int IndexAt = 8;
    private const int SentAt = 16;
    private const int PublisherLengthAt = 24;
    private const int GroupLengthAt = 25;
    private const int NamesAt = 26;

    private GeneratedPayload(ReadOnlySpan<byte> payload)
    {
        Index = BinaryPrimitives.ReadUInt64LittleEndian(payload[IndexAt..]);
        SentTicks = BinaryPrimitives.ReadInt64LittleEndian(payload[SentAt..]);
        Publisher = payload.Slice(NamesAt, payload[PublisherLengthAt]);
        Group = payload.Slice(NamesAt + payload[PublisherLengthAt], payload[GroupLengthAt]);
    }

    /// <summary>Which of the publisher's messages to the group, from 1.</summary>
    public ulong Index { get; }

    /// <summary>When it was sent, or was due, in Stopwatch ticks of the sender's machine.</summary>
    public long SentTicks { get; }

    /// <summary>The publisher's name, UTF-8. Points into the payload.</summary>
    public ReadOnlySpan<byte> Publisher { get; }

    /// <summary>The group's name, UTF-8. Points into the payload.</summary>
    public ReadOnlySpan<byte> Group { get; }

    /// <summary>The shortest payload that holds these names, in bytes.</summary>
    public static int MinimumBytes(int publisherBytes, int groupBytes) => NamesAt + publisherBytes + groupBytes;

    /// <summary>Fills <paramref name="payload"/>, all of it.</summary>
    /// <param name="payload">At least <see cref="MinimumBytes"/> long.</param>
    /// <param name="publisher">UTF-8, at most 255 bytes.</param>
    /// <param name="group">UTF-8, at most 255 bytes.</param>
    /// <param name="index">From 1.</param>
    /// <param name="sentTicks">Stopwatch ticks.</param>
    public static void Write(
        Span<byte> payload, ReadOnlySpan<byte> publisher, ReadOnlySpan<byte> group, ulong index, long sentTicks)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(payload.Length, MinimumBytes(publisher.Length, group.Length));
        BinaryPrimitives.WriteUInt32LittleEndian(payload, Magic);
        BinaryPrimitives.WriteUInt64LittleEndian(payload[IndexAt..], index);
        BinaryPrimitives.WriteInt64LittleEndian(payload[SentAt..], sentTicks);
        payload[PublisherLengthAt] = checked((byte)publisher.Length);
        payload[GroupLengthAt] = checked((byte)group.Length);
        publisher.CopyTo(payload[NamesAt..]);
        group.CopyTo(payload[(NamesAt + publisher.Length)..]);
        for (int at = NamesAt + publisher.Length + group.Length; at < payload.Length; at++)
            payload[at] = (byte)(index + (ulong)at);
        BinaryPrimitives.WriteUInt32LittleEndian(payload[ChecksumAt..], Crc32C(payload[CheckedFrom..]));
    }

    /// <summary>Whether this claims to be a generated payload; others are plain text.</summary>
    public static bool HasMagic(ReadOnlySpan<byte> payload) =>
        payload.Length >= 4 && BinaryPrimitives.ReadUInt32LittleEndian(payload) == Magic;

    /// <summary>Reads and checks a payload; false when it is damaged.</summary>
    public static bool TryRead(ReadOnlySpan<byte> payload, out GeneratedPayload read)
    {
        read = default;
        if (payload.Length < NamesAt || !HasMagic(payload)) return false;
        if (payload.Length < MinimumBytes(payload[PublisherLengthAt], payload[GroupLengthAt])) return false;
        if (BinaryPrimitives.ReadUInt32LittleEndian(payload[ChecksumAt..]) != Crc32C(payload[CheckedFrom..]))
            return false;
        read = new GeneratedPayload(payload);
        return true;
    }

    private static uint Crc32C(ReadOnlySpan<byte> bytes)
    {
        uint crc = uint.MaxValue;
        while (bytes.Length >= 8)
        {
            crc = BitOperations.Crc32C(crc, BinaryPrimitives.ReadUInt64LittleEndian(bytes));
            bytes = bytes[8..];
        }
        foreach (byte value in bytes) crc = BitOperations.Crc32C(crc, value);
        return ~crc;
    }
}
