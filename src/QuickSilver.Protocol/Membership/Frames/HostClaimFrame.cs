using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership.Frames;

/// <summary>
/// What a process that hosts the membership says of itself to another that may host the same cluster: the first and only frame of a connection, and
/// the answer to it.
/// <code>
/// kind          byte     query or answer
/// magic         u32      tells the protocol from others on the port
/// version       byte
/// cluster       text     1-255 bytes
/// stamp         u64      when the host began, milliseconds since 1970 by its own clock
/// id            u64      drawn by the host
/// serves        byte     1: it admits nodes; 0: it has not decided yet
/// nodes         varint   how many are registered
/// </code>
/// </summary>
internal sealed record HostClaimFrame
{
    private const uint Magic = 0x484D5351;
    private const byte Version = 1;

    /// <summary>The cluster.</summary>
    public string ClusterName { get; init; } = "";

    /// <summary>When the host began, by its own clock.</summary>
    public ulong Stamp { get; init; }

    /// <summary>Tells hosts apart.</summary>
    public ulong Id { get; init; }

    /// <summary>It admits nodes.</summary>
    public bool Serves { get; init; }

    /// <summary>Registered nodes.</summary>
    public int Nodes { get; init; }

    /// <summary>True when this one goes before another that has not decided either: the same answer on both sides.</summary>
    public bool GoesBefore(HostClaimFrame other) => Stamp != other.Stamp ? Stamp < other.Stamp : Id < other.Id;

    /// <summary>Writes it.</summary>
    /// <param name="frame">The frame.</param>
    /// <param name="kind"><see cref="FrameKind.HostQuery"/> or <see cref="FrameKind.HostAnswer"/>.</param>
    public void WriteTo(FrameBuilder frame, FrameKind kind)
    {
        frame.Begin(kind).WriteUInt32(Magic).WriteByte(Version).WriteText(ClusterName).WriteUInt64(Stamp).WriteUInt64(Id);
        frame.WriteByte((byte)(Serves ? 1 : 0)).WriteVarint((ulong)Nodes);
    }

    /// <summary>Reads it; null when it is something else, or malformed.</summary>
    public static HostClaimFrame? TryRead(ReadOnlySpan<byte> bytes, FrameKind kind)
    {
        var reader = new WireReader(bytes);
        bool known = reader.ReadByte() == (byte)kind & reader.ReadUInt32() == Magic & reader.ReadByte() == Version;
        if (!known) return null;
        string cluster = FrameFields.ReadName(ref reader);
        ulong stamp = reader.ReadUInt64();
        ulong id = reader.ReadUInt64();
        byte serves = reader.ReadByte();
        int nodes = (int)reader.ReadVarint(int.MaxValue);
        if (!reader.IsAtEnd || cluster.Length == 0 || serves > 1) return null;
        return new HostClaimFrame { ClusterName = cluster, Stamp = stamp, Id = id, Serves = serves == 1, Nodes = nodes };
    }
}
