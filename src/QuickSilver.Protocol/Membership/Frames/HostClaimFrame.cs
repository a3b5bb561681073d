using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership.Frames;

/// <summary>
/// A membership host's description of itself to a process that may host the same cluster: the first and only frame
/// of a connection, and the answer to it.
/// <code>
/// kind          byte     query or answer
/// magic         u32      distinguishes the protocol from others on the port
/// version       byte
/// cluster       text     1-255 bytes
/// stamp         u64      when the host began, milliseconds since 1970 by its own clock
/// id            u64      drawn by the host
/// serves        byte     1: it admits nodes; 0: it has not decided yet
/// nodes         varint   number of registered nodes
/// </code>
/// </summary>
internal sealed record HostClaimFrame
{
    private const uint Magic = 0x484D5351;
    private const byte Version = 1;

    /// <summary>The cluster that it hosts.</summary>
    public string ClusterName { get; init; } = "";

    /// <summary>Time when the host began, by its own clock, in milliseconds since 1970.</summary>
    public ulong Stamp { get; init; }

    /// <summary>Distinguishes hosts.</summary>
    public ulong Id { get; init; }

    /// <summary>True when it admits nodes.</summary>
    public bool Serves { get; init; }

    /// <summary>Number of registered nodes.</summary>
    public int Nodes { get; init; }

    /// <summary>
    /// True when this host precedes another that has not decided either. Both sides get the same answer.
    /// </summary>
    public bool GoesBefore(HostClaimFrame other) => Stamp != other.Stamp ? Stamp < other.Stamp : Id < other.Id;

    /// <summary>Writes the claim.</summary>
    /// <param name="frame">The frame to write.</param>
    /// <param name="kind"><see cref="FrameKind.HostQuery"/> or <see cref="FrameKind.HostAnswer"/>.</param>
    public void WriteTo(FrameBuilder frame, FrameKind kind)
    {
        frame.Begin(kind).WriteUInt32(Magic).WriteByte(Version).WriteText(ClusterName);
        frame.WriteUInt64(Stamp).WriteUInt64(Id);
        frame.WriteByte((byte)(Serves ? 1 : 0)).WriteVarint((ulong)Nodes);
    }

    /// <summary>Reads a claim; null when the frame is malformed or of another kind.</summary>
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
        return new HostClaimFrame
        {
            ClusterName = cluster,
            Stamp = stamp,
            Id = id,
            Serves = serves == 1,
            Nodes = nodes,
        };
    }
}
