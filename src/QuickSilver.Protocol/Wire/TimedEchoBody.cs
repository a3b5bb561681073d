namespace QuickSilver.Protocol.Wire;

/// <summary>
/// Body of a <see cref="DatagramKind.TimedEcho"/>: answers the probe of a <see cref="DatagramKind.TimedStatus"/>. The
/// header's sequence is the <see cref="NodeNumber.Key"/> of the sender that probed.
/// <code>
/// group       varint   counter of the group's id
/// probe       varint   the probe, at least 1
/// held        varint   time between the probe and this answer, in microseconds, at most a minute
/// </code>
/// </summary>
/// <param name="Group">Counter of the group's id.</param>
/// <param name="Probe">The probe.</param>
/// <param name="Held">Time between the probe and this answer.</param>
internal readonly record struct TimedEchoBody(uint Group, ulong Probe, TimeSpan Held)
{
    /// <summary>The longest body.</summary>
    public const int MaxLength = 5 + 15;

    /// <summary>Writes the body.</summary>
    public void WriteTo(ref WireWriter writer)
    {
        writer.WriteVarint(Group);
        WriteEcho(ref writer, Probe, Held);
    }

    /// <summary>Reads a body; false when it is malformed.</summary>
    public static bool TryRead(ReadOnlySpan<byte> body, out TimedEchoBody echo)
    {
        var reader = new WireReader(body);
        uint group = (uint)reader.ReadVarint(uint.MaxValue);
        bool isEcho = TryReadEcho(ref reader, out ulong probe, out TimeSpan held);
        echo = new TimedEchoBody(group, probe, held);
        return reader.IsAtEnd && isEcho && group > 0;
    }

    internal static void WriteEcho(ref WireWriter writer, ulong probe, TimeSpan held)
    {
        writer.WriteVarint(probe);
        writer.WriteVarint(
            (ulong)Math.Clamp(held.Ticks / TimeSpan.TicksPerMicrosecond, 0, (long)TimedStatusBody.MaxRoundTrip));
    }

    internal static bool TryReadEcho(scoped ref WireReader reader, out ulong probe, out TimeSpan held)
    {
        probe = reader.ReadVarint();
        ulong micros = reader.ReadVarint(TimedStatusBody.MaxRoundTrip);
        held = new TimeSpan((long)micros * TimeSpan.TicksPerMicrosecond);
        return probe > 0;
    }
}
