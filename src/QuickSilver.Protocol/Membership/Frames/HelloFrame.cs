using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership.Frames;

/// <summary>
/// A registration, the first frame of every connection.
/// <code>
/// kind          byte
/// magic         u32      distinguishes the protocol from others on the port
/// version       byte     low four bits: version of the datagrams; high four: revision of the frames. Applies to the
///                        fields after the cluster's name
/// cluster       text     1-255 bytes
/// node name     text     0-255 bytes
/// incarnation   varint
/// control       endpoint
/// data          endpoint
/// buffer        varint   receive buffer in bytes
/// datagram      varint   the longest datagram that the node's interface takes, at most 65,493; 0: no limit
/// flags         byte     1: multicast; 2: returning, and then
///   term          varint   epoch that gave the node its number
///   server        u64
///   node          varint   counter of the number
///   received      varint   numbered frames taken in the session
///   term          varint   epoch of the session: of the server that admitted the node last
///   server        u64
///   instance      u64      the cluster instance
/// secret        16 bytes of the last welcome
/// </code>
/// </summary>
internal sealed record HelloFrame
{
    /// <summary>
    /// The version of a node without security. A registration names the version of the node's datagrams, since a node
    /// whose datagrams cannot be read must not be admitted.
    /// </summary>
    public const byte Version = FrameRevision | DatagramHeader.CurrentVersion;

    /// <summary>The version of a node that seals its datagrams.</summary>
    public const byte SealedVersion = FrameRevision | DatagramHeader.SealedVersion;

    // Of the frames of this channel. Rises by 0x10 with every change of one.
    private const byte FrameRevision = 0x10;
    private const uint Magic = 0x424D5351;
    private const byte MulticastFlag = 1;
    private const byte ReturningFlag = 2;

    /// <summary>
    /// The version of the frame; fields after the cluster's name are set only if it is one of the two.
    /// </summary>
    public byte SpokenVersion { get; init; } = Version;

    /// <summary>The cluster to join.</summary>
    public string ClusterName { get; init; } = "";

    /// <summary>The node's name.</summary>
    public string NodeName { get; init; } = "";

    /// <summary>Distinguishes two lives on one address.</summary>
    public ulong Incarnation { get; init; }

    /// <summary>The node's control endpoint.</summary>
    public NetEndpoint Control { get; init; }

    /// <summary>The node's data endpoint.</summary>
    public NetEndpoint Data { get; init; }

    /// <summary>The receive buffer of the node's data sockets.</summary>
    public int ReceiveBufferBytes { get; init; }

    /// <summary>The longest datagram that the node's interface takes; 0: no limit.</summary>
    public int LongestDatagram { get; init; }

    /// <summary>True when the node can use IP multicast.</summary>
    public bool Multicast { get; init; }

    /// <summary>The number that the node has; none when it registers for the first time.</summary>
    public NodeNumber Number { get; init; }

    /// <summary>Numbered frames that the node has received.</summary>
    public ulong Received { get; init; }

    /// <summary>The epoch of the node's session; none when it registers for the first time.</summary>
    public Epoch Session { get; init; }

    /// <summary>The cluster instance that the node belongs to; 0 when it registers for the first time.</summary>
    public ulong Instance { get; init; }

    /// <summary>
    /// The secret of the last welcome: proves that the number is this node's. 0 when it registers for the first time.
    /// </summary>
    public UInt128 Secret { get; init; }

    /// <summary>Writes the frame.</summary>
    public void WriteTo(FrameBuilder frame)
    {
        frame.Begin(FrameKind.Hello).WriteUInt32(Magic).WriteByte(SpokenVersion).WriteText(ClusterName);
        frame.WriteText(NodeName).WriteVarint(Incarnation).WriteEndpoint(Control).WriteEndpoint(Data);
        frame.WriteVarint((ulong)ReceiveBufferBytes);
        frame.WriteVarint((ulong)LongestDatagram);
        frame.WriteByte((byte)((Multicast ? MulticastFlag : 0) | (Number.IsNone ? 0 : ReturningFlag)));
        if (Number.IsNone) return;
        frame.WriteEpoch(Number.Epoch).WriteVarint(Number.Counter).WriteVarint(Received);
        frame.WriteEpoch(Session).WriteUInt64(Instance);
        frame.WriteSecret(Secret);
    }

    /// <summary>The version of registrations, of a node that seals its datagrams or does not.</summary>
    public static byte VersionOf(bool isSealed) => isSealed ? SealedVersion : Version;

    /// <summary>Compares the version of a node with that of a server.</summary>
    public static MembershipRefusal JudgeVersion(byte spoken, byte server) =>
        spoken == server ? MembershipRefusal.None
        : spoken is Version or SealedVersion ? MembershipRefusal.OtherSecurity
        : MembershipRefusal.WrongVersion;

    /// <summary>Reads the part that all versions share.</summary>
    public static bool TryReadPrefix(ReadOnlySpan<byte> bytes, out byte version, out string clusterName)
    {
        var reader = new WireReader(bytes);
        return TryReadPrefix(ref reader, out version, out clusterName);
    }

    /// <summary>Reads a frame; null when it is malformed.</summary>
    public static HelloFrame? TryRead(ReadOnlySpan<byte> bytes)
    {
        var reader = new WireReader(bytes);
        if (!TryReadPrefix(ref reader, out byte version, out string clusterName)) return null;
        if (version is not (Version or SealedVersion))
            return new HelloFrame { SpokenVersion = version, ClusterName = clusterName };
        string nodeName = FrameFields.ReadName(ref reader);
        ulong incarnation = reader.ReadVarint();
        NetEndpoint control = FrameFields.ReadEndpoint(ref reader);
        NetEndpoint data = FrameFields.ReadEndpoint(ref reader);
        int receiveBuffer = (int)reader.ReadVarint(int.MaxValue);
        int longestDatagram = (int)reader.ReadVarint(DatagramHeader.MaxDatagram);
        byte flags = reader.ReadByte();
        NodeNumber number = default;
        ulong received = 0;
        Epoch session = default;
        ulong instance = 0;
        UInt128 secret = 0;
        if ((flags & ReturningFlag) != 0)
        {
            number = new NodeNumber(FrameFields.ReadEpoch(ref reader), FrameFields.ReadCounter(ref reader));
            received = reader.ReadVarint();
            session = FrameFields.ReadEpoch(ref reader);
            instance = reader.ReadUInt64();
            secret = FrameFields.ReadSecret(ref reader);
            if (session < number.Epoch) reader.Fail();
        }
        if (!reader.IsAtEnd || flags > (MulticastFlag | ReturningFlag) || control.IsNone) return null;
        return new HelloFrame
        {
            SpokenVersion = version,
            ClusterName = clusterName,
            NodeName = nodeName,
            Incarnation = incarnation,
            Control = control,
            Data = data,
            ReceiveBufferBytes = receiveBuffer,
            LongestDatagram = longestDatagram,
            Multicast = (flags & MulticastFlag) != 0,
            Number = number,
            Received = received,
            Session = session,
            Instance = instance,
            Secret = secret,
        };
    }

    private static bool TryReadPrefix(ref WireReader reader, out byte version, out string clusterName)
    {
        // Both are read in any case, so that the reader stands at the version.
        bool known = reader.ReadByte() == (byte)FrameKind.Hello & reader.ReadUInt32() == Magic;
        version = reader.ReadByte();
        clusterName = FrameFields.ReadName(ref reader);
        return known && !reader.Failed && version != 0 && clusterName.Length > 0;
    }
}
