using QuickSilver.Protocol.Wire;

namespace QuickSilver.WideArea.Telling;

/// <summary>
/// How a link is, in what is told. All but the first three fields are varints.
/// <code>
/// transport  1 byte   SiteLinkTransport
/// state      1 byte   SiteLinkState
/// loss       2 bytes  share of 65,535
/// times      round trip and its least, in ticks of 100 ns
/// rate       bytes a second
/// counts     Waiting, Open, then the counters in the order of SiteLinkStatistics
/// </code>
/// </summary>
internal static class LinkFields
{
    /// <summary>The most bytes that it has.</summary>
    public const int MaxLength = 4 + (Varints * MaxVarintLength);

    private const int Varints = 15;
    private const int MaxVarintLength = 10;

    /// <summary>Writes it.</summary>
    public static void Write(ref WireWriter writer, SiteLinkStatistics link)
    {
        writer.WriteByte((byte)link.Transport);
        writer.WriteByte((byte)link.State);
        writer.WriteUInt16((ushort)(Math.Clamp(link.Loss, 0, 1) * ushort.MaxValue));
        foreach (long value in (ReadOnlySpan<long>)
        [
            link.RoundTrip.Ticks, link.LeastRoundTrip.Ticks, (long)link.BytesPerSecond, link.Waiting, link.Open,
            link.PacketsSent, link.PacketsResent, link.ParitiesSent, link.PacketsReceived, link.PacketsDuplicated,
            link.PacketsRebuilt, link.BytesSent, link.Rejected, link.Ups, link.Failures,
        ])
        {
            writer.WriteVarint((ulong)Math.Max(0, value));
        }
    }

    /// <summary>Reads it; the reader has failed when it is malformed.</summary>
    /// <param name="reader">At its first byte.</param>
    /// <param name="site">Name of the site at the other end.</param>
    public static SiteLinkStatistics Read(ref WireReader reader, string site)
    {
        byte transport = reader.ReadByte(), state = reader.ReadByte();
        if (transport > (byte)SiteLinkTransport.Tcp || state > (byte)SiteLinkState.Failed) reader.Fail();
        return new SiteLinkStatistics
        {
            Site = site,
            Transport = (SiteLinkTransport)transport,
            State = (SiteLinkState)state,
            Loss = reader.ReadUInt16() / (double)ushort.MaxValue,
            RoundTrip = TimeSpan.FromTicks(ReadCount(ref reader)),
            LeastRoundTrip = TimeSpan.FromTicks(ReadCount(ref reader)),
            BytesPerSecond = ReadCount(ref reader),
            Waiting = (int)reader.ReadVarint(int.MaxValue),
            Open = (int)reader.ReadVarint(int.MaxValue),
            PacketsSent = ReadCount(ref reader),
            PacketsResent = ReadCount(ref reader),
            ParitiesSent = ReadCount(ref reader),
            PacketsReceived = ReadCount(ref reader),
            PacketsDuplicated = ReadCount(ref reader),
            PacketsRebuilt = ReadCount(ref reader),
            BytesSent = ReadCount(ref reader),
            Rejected = ReadCount(ref reader),
            Ups = ReadCount(ref reader),
            Failures = ReadCount(ref reader),
        };
    }

    private static long ReadCount(ref WireReader reader) => (long)reader.ReadVarint(long.MaxValue);
}
