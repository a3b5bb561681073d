using System.Buffers.Binary;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Bench.Chaos;

/// <summary>
/// The payload of a chaos message. It tells where it comes from, and every byte of it follows from that, so a receiver
/// can check all of it. Little endian:
/// <code>
/// offset  length  field
/// 0       4       number of the node
/// 4       4       which process of the node
/// 8       4       which life of the process
/// 12      4       number of the group
/// 16      8       index within (life, group), from 1: what the message's number has to be
/// 24      8       when it was handed over, in Stopwatch ticks: one clock for all processes of a machine
/// 32      n       filler drawn from the fields above
/// 32+n    4       CRC-32C of all before
/// </code>
/// </summary>
/// <param name="Origin">Who sent it.</param>
/// <param name="Group">Number of the group.</param>
/// <param name="Index">Which message of (life, group), from 1.</param>
/// <param name="Stamp">When it was handed over.</param>
internal readonly record struct ChaosPayload(ChaosOrigin Origin, int Group, long Index, long Stamp)
{
    /// <summary>The shortest payload.</summary>
    public const int LeastBytes = FillerAt + CrcBytes;

    private const int ProcessAt = 4;
    private const int LifeAt = 8;
    private const int GroupAt = 12;
    private const int IndexAt = 16;
    private const int StampAt = 24;
    private const int FillerAt = 32;
    private const int CrcBytes = 4;

    /// <summary>Fills a payload of at least <see cref="LeastBytes"/>.</summary>
    public void Write(Span<byte> payload)
    {
        BinaryPrimitives.WriteInt32LittleEndian(payload, Origin.Node);
        BinaryPrimitives.WriteInt32LittleEndian(payload[ProcessAt..], Origin.Process);
        BinaryPrimitives.WriteInt32LittleEndian(payload[LifeAt..], Origin.Life);
        BinaryPrimitives.WriteInt32LittleEndian(payload[GroupAt..], Group);
        BinaryPrimitives.WriteInt64LittleEndian(payload[IndexAt..], Index);
        BinaryPrimitives.WriteInt64LittleEndian(payload[StampAt..], Stamp);
        Span<byte> filler = payload[FillerAt..^CrcBytes];
        ulong seed = Seed;
        for (int at = 0; at < filler.Length; at++) filler[at] = FillerByte(seed, at);
        BinaryPrimitives.WriteUInt32LittleEndian(payload[^CrcBytes..], Crc32C.Of(payload[..^CrcBytes]));
    }

    /// <summary>Reads a payload and checks every byte of it.</summary>
    /// <returns>False when it was not written by <see cref="Write"/>.</returns>
    public static bool TryRead(ReadOnlySpan<byte> payload, out ChaosPayload read)
    {
        read = default;
        if (payload.Length < LeastBytes) return false;
        var origin = new ChaosOrigin(Int32(payload, 0), Int32(payload, ProcessAt), Int32(payload, LifeAt));
        long index = BinaryPrimitives.ReadInt64LittleEndian(payload[IndexAt..]);
        read = new ChaosPayload(
            origin, Int32(payload, GroupAt), index, BinaryPrimitives.ReadInt64LittleEndian(payload[StampAt..]));
        if (BinaryPrimitives.ReadUInt32LittleEndian(payload[^CrcBytes..]) != Crc32C.Of(payload[..^CrcBytes]))
            return false;
        ReadOnlySpan<byte> filler = payload[FillerAt..^CrcBytes];
        ulong seed = read.Seed;
        for (int at = 0; at < filler.Length; at++)
        {
            if (filler[at] != FillerByte(seed, at)) return false;
        }
        return true;
    }

    private ulong Seed =>
        SeededRandom.Mix((ulong)Index ^ (ulong)Stamp << 20 ^ (ulong)Group << 40 ^ (ulong)Origin.Node << 56);

    private static int Int32(ReadOnlySpan<byte> payload, int at) =>
        BinaryPrimitives.ReadInt32LittleEndian(payload[at..]);

    private static byte FillerByte(ulong seed, int at) => (byte)(seed >> (at % 8 * 8) ^ (ulong)at);
}
