using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Sites.Frames;

/// <summary>Times on a link: whole microseconds in a varint, at most a year of them.</summary>
internal static class WireTime
{
    private const ulong Longest = 366UL * 24 * 3600 * 1_000_000;

    public static void Write(ref WireWriter writer, TimeSpan time) =>
        writer.WriteVarint(Math.Min((ulong)Math.Max(0, time.Ticks / TimeSpan.TicksPerMicrosecond), Longest));

    public static TimeSpan Read(ref WireReader reader) =>
        new((long)reader.ReadVarint(Longest) * TimeSpan.TicksPerMicrosecond);
}
