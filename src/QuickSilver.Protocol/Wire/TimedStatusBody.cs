namespace QuickSilver.Protocol.Wire;

/// <summary>
/// Body of a <see cref="DatagramKind.TimedStatus"/>. The header's sequence is the sender's last packet.
/// <code>
/// group       varint   counter of the group's id
/// number      varint   number of the last message
/// place       TimedPlace, of the last packet
/// before      2 bytes  what the last eight packets were worth, the last in the lowest bits
/// held        varint   how many packets, back from the last, the sender may still hold
/// round trip  varint   the sender's estimate for the group, in microseconds, at most a minute
/// probe       varint   an instant of the sender's clock; 0: none is asked for
/// </code>
/// </summary>
internal struct TimedStatusBody
{
    /// <summary>The longest body.</summary>
    public const int MaxLength = 5 + 10 + TimedPlace.MaxLength + 2 + 10 + 10 + 10;

    /// <summary>The longest round trip, in microseconds.</summary>
    public const ulong MaxRoundTrip = 60_000_000;

    /// <summary>Counter of the group's id.</summary>
    public uint Group;

    /// <summary>Number of the last message.</summary>
    public ulong Number;

    /// <summary>The place of the last packet.</summary>
    public TimedPlace Place;

    /// <summary>What the last packets were worth.</summary>
    public ushort Before;

    /// <summary>
    /// The oldest packet that the sender may still hold; the next that it will send when it holds none.
    /// </summary>
    public ulong Oldest;

    /// <summary>The sender's estimate of the round trip in the group.</summary>
    public TimeSpan RoundTrip;

    /// <summary>The probe; 0: none.</summary>
    public ulong Probe;

    /// <summary>Writes the body.</summary>
    public readonly void WriteTo(ref WireWriter writer, Epoch epoch, ulong sequence)
    {
        writer.WriteVarint(Group);
        writer.WriteVarint(Number);
        Place.WriteTo(ref writer, epoch, sequence, Number);
        writer.WriteUInt16(Before);
        writer.WriteVarint(sequence + 1 - Oldest);
        writer.WriteVarint((ulong)(RoundTrip.Ticks / TimeSpan.TicksPerMicrosecond));
        writer.WriteVarint(Probe);
    }

    /// <summary>Reads a body; false when it is malformed.</summary>
    public static bool TryRead(ReadOnlySpan<byte> body, Epoch epoch, ulong sequence, out TimedStatusBody status)
    {
        var reader = new WireReader(body);
        status = default;
        status.Group = (uint)reader.ReadVarint(uint.MaxValue);
        status.Number = reader.ReadVarint();
        status.Place = TimedPlace.Read(ref reader, epoch, sequence, status.Number);
        status.Before = reader.ReadUInt16();
        ulong held = reader.ReadVarint(sequence);
        status.Oldest = sequence + 1 - held;
        status.RoundTrip = new TimeSpan((long)reader.ReadVarint(MaxRoundTrip) * TimeSpan.TicksPerMicrosecond);
        status.Probe = reader.ReadVarint();
        return reader.IsAtEnd && status.Group > 0;
    }
}
