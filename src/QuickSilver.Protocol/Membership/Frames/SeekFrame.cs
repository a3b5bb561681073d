using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership.Frames;

/// <summary>
/// The question of a node that looks for its cluster on its machine, before it registers: is it served here? It names
/// its own cluster, and learns of the other nothing but whether the two fit. The answer is
/// <see cref="FrameKind.Found"/>, or <see cref="FrameKind.Expelled"/> with the reason. All versions read it.
/// <code>
/// kind          byte
/// magic         u32      distinguishes the protocol from others on the port
/// oldest        byte     the oldest version of the protocol that the node speaks
/// newest        byte     the newest
/// sealed        byte     1: the node seals its datagrams; 0: it does not
/// cluster       text     1-255 bytes
/// </code>
/// </summary>
/// <param name="Versions">The versions of the protocol that the node speaks.</param>
/// <param name="IsSealed">True when the node seals its datagrams.</param>
/// <param name="ClusterName">The cluster of the node.</param>
internal sealed record SeekFrame(ProtocolVersions Versions, bool IsSealed, string ClusterName)
{
    private const uint Magic = 0x4B535351;

    /// <summary>The longest answer, in bytes.</summary>
    public const int MaxAnswerBytes = 4;

    /// <summary>Writes the frame.</summary>
    public void WriteTo(FrameBuilder frame)
    {
        frame.Begin(FrameKind.Seek).WriteUInt32(Magic).WriteByte(Versions.Oldest).WriteByte(Versions.Newest);
        frame.WriteByte(IsSealed ? (byte)1 : (byte)0).WriteText(ClusterName);
    }

    /// <summary>Reads a frame; null when it is malformed or another.</summary>
    public static SeekFrame? TryRead(ReadOnlySpan<byte> bytes)
    {
        var reader = new WireReader(bytes);
        bool known = reader.ReadByte() == (byte)FrameKind.Seek & reader.ReadUInt32() == Magic;
        ProtocolVersions versions = FrameFields.ReadVersions(ref reader);
        bool isSealed = FrameFields.ReadFlag(ref reader);
        string cluster = FrameFields.ReadName(ref reader);
        return known && reader.IsAtEnd && cluster.Length > 0 ? new SeekFrame(versions, isSealed, cluster) : null;
    }

    /// <summary>Compares the node that asks with a server.</summary>
    /// <param name="clusterName">The server's cluster.</param>
    /// <param name="isSealed">True when the server's cluster is sealed.</param>
    public MembershipRefusal Judge(string clusterName, bool isSealed) =>
        ClusterName != clusterName
            ? MembershipRefusal.WrongCluster
            : HelloFrame.Judge(Versions, IsSealed, ProtocolVersions.Spoken, isSealed);

    /// <summary>Reads an answer; null when it is none.</summary>
    /// <returns><see cref="MembershipRefusal.None"/> when the cluster is served there.</returns>
    public static MembershipRefusal? TryReadAnswer(ReadOnlySpan<byte> bytes) => bytes switch
    {
        [(byte)FrameKind.Found] => MembershipRefusal.None,
        [(byte)FrameKind.Expelled, (byte)MembershipRefusal.WrongVersion, _, _] => MembershipRefusal.WrongVersion,
        [(byte)FrameKind.Expelled, not (byte)MembershipRefusal.None and byte reason] => (MembershipRefusal)reason,
        _ => null,
    };
}
