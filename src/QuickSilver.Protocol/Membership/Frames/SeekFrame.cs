using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership.Frames;

/// <summary>
/// The question of a node that looks for its cluster on its machine, before it registers: is it served here? It names
/// its own cluster, and learns of the other nothing but whether the two fit. The answer is
/// <see cref="FrameKind.Found"/>, or <see cref="FrameKind.Expelled"/> with the reason. All versions read it.
/// <code>
/// kind          byte
/// magic         u32      distinguishes the protocol from others on the port
/// version       byte     the version of the node's registrations
/// cluster       text     1-255 bytes
/// </code>
/// </summary>
/// <param name="Version">The version of the node's registrations.</param>
/// <param name="ClusterName">The cluster of the node.</param>
internal sealed record SeekFrame(byte Version, string ClusterName)
{
    private const uint Magic = 0x4B535351;

    /// <summary>The longest answer, in bytes.</summary>
    public const int MaxAnswerBytes = 2;

    /// <summary>Writes the frame.</summary>
    public void WriteTo(FrameBuilder frame) =>
        frame.Begin(FrameKind.Seek).WriteUInt32(Magic).WriteByte(Version).WriteText(ClusterName);

    /// <summary>Reads a frame; null when it is malformed or another.</summary>
    public static SeekFrame? TryRead(ReadOnlySpan<byte> bytes)
    {
        var reader = new WireReader(bytes);
        bool known = reader.ReadByte() == (byte)FrameKind.Seek & reader.ReadUInt32() == Magic;
        byte version = reader.ReadByte();
        string cluster = FrameFields.ReadName(ref reader);
        return known && reader.IsAtEnd && version != 0 && cluster.Length > 0 ? new SeekFrame(version, cluster) : null;
    }

    /// <summary>Compares the node that asks with a server.</summary>
    /// <param name="clusterName">The server's cluster.</param>
    /// <param name="isSealed">True when the server's cluster is sealed.</param>
    public MembershipRefusal Judge(string clusterName, bool isSealed) =>
        ClusterName != clusterName
            ? MembershipRefusal.WrongCluster
            : HelloFrame.JudgeVersion(Version, HelloFrame.VersionOf(isSealed));

    /// <summary>Reads an answer; null when it is none.</summary>
    /// <returns><see cref="MembershipRefusal.None"/> when the cluster is served there.</returns>
    public static MembershipRefusal? TryReadAnswer(ReadOnlySpan<byte> bytes) => bytes switch
    {
        [(byte)FrameKind.Found] => MembershipRefusal.None,
        [(byte)FrameKind.Expelled, not (byte)MembershipRefusal.None and byte reason] => (MembershipRefusal)reason,
        _ => null,
    };
}
