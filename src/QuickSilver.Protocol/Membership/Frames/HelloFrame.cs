using System.Buffers.Binary;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership.Frames;

/// <summary>
/// A registration, the first frame of every connection.
/// <code>
/// kind          byte
/// magic         u32      distinguishes the protocol from others on the port
/// oldest        byte     the oldest version of the protocol that the node speaks, at least 1
/// newest        byte     the newest, at most 127
/// sealed        byte     1: the node seals its datagrams; 0: it does not
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
///   secret        16 bytes of the last welcome
/// extensions             HelloExtensions
/// </code>
/// A registration comes before a version is chosen, so all versions write it in this form, and add to its end. A server
/// reads it up to the cluster's name where no version is in both ranges.
/// </summary>
internal sealed record HelloFrame
{
    private const uint Magic = 0x424D5351;
    private const byte MulticastFlag = 1;
    private const byte ReturningFlag = 2;

    /// <summary>
    /// The versions that the node speaks. Fields after the cluster's name are set only if the server speaks one of
    /// them.
    /// </summary>
    public ProtocolVersions Versions { get; init; } = ProtocolVersions.Spoken;

    /// <summary>True when the node seals its datagrams.</summary>
    public bool IsSealed { get; init; }

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

    /// <summary>The fields that later builds have added.</summary>
    public HelloExtensions Extensions { get; init; } = HelloExtensions.None;

    /// <summary>The ciphers that the node has; none when it does not seal its datagrams.</summary>
    public SealCiphers Ciphers
    {
        get => !IsSealed ? default
            : Extensions.Find(HelloField.Ciphers) is [byte bits] ? new SealCiphers(bits)
            : SealCiphers.Of(SealCipher.Aes256Gcm);
        init => Extensions = value == default ? Extensions : Extensions.With(HelloField.Ciphers, [value.Bits]);
    }

    /// <summary>The instance of the electorate whose server has admitted a returning node; 0: none is known.</summary>
    public ulong Electorate
    {
        get => Extensions.Find(HelloField.Electorate) is { Length: sizeof(ulong) } value
            ? BinaryPrimitives.ReadUInt64LittleEndian(value)
            : 0;
        init
        {
            if (value == 0) return;
            byte[] bytes = new byte[sizeof(ulong)];
            BinaryPrimitives.WriteUInt64LittleEndian(bytes, value);
            Extensions = Extensions.With(HelloField.Electorate, bytes);
        }
    }

    /// <summary>True when the node takes <see cref="FrameKind.Monitored"/>.</summary>
    public bool TakesMonitored
    {
        get => Extensions.Find(HelloField.Monitored) is { Length: 0 };
        init
        {
            if (value) Extensions = Extensions.With(HelloField.Monitored, []);
        }
    }

    /// <summary>Writes the frame.</summary>
    public void WriteTo(FrameBuilder frame)
    {
        frame.Begin(FrameKind.Hello).WriteUInt32(Magic).WriteByte(Versions.Oldest).WriteByte(Versions.Newest);
        frame.WriteByte(IsSealed ? (byte)1 : (byte)0).WriteText(ClusterName);
        frame.WriteText(NodeName).WriteVarint(Incarnation).WriteEndpoint(Control).WriteEndpoint(Data);
        frame.WriteVarint((ulong)ReceiveBufferBytes);
        frame.WriteVarint((ulong)LongestDatagram);
        frame.WriteByte((byte)((Multicast ? MulticastFlag : 0) | (Number.IsNone ? 0 : ReturningFlag)));
        if (!Number.IsNone)
        {
            frame.WriteEpoch(Number.Epoch).WriteVarint(Number.Counter).WriteVarint(Received);
            frame.WriteEpoch(Session).WriteUInt64(Instance);
            frame.WriteSecret(Secret);
        }
        Extensions.WriteTo(frame);
    }

    /// <summary>Compares what a node and a server speak.</summary>
    /// <param name="versions">The versions of the node.</param>
    /// <param name="isSealed">True when the node seals its datagrams.</param>
    /// <param name="spoken">The versions of the server.</param>
    /// <param name="isSealedHere">True when the server's cluster is sealed.</param>
    public static MembershipRefusal Judge(
        ProtocolVersions versions, bool isSealed, ProtocolVersions spoken, bool isSealedHere) =>
        !versions.Meets(spoken) ? MembershipRefusal.WrongVersion
        : isSealed != isSealedHere ? MembershipRefusal.OtherSecurity
        : MembershipRefusal.None;

    /// <summary>True for a frame that begins as registrations of all versions do.</summary>
    public static bool IsPrefix(ReadOnlySpan<byte> bytes)
    {
        var reader = new WireReader(bytes);
        return TryReadPrefix(ref reader, out _, out _, out _);
    }

    /// <summary>Reads a frame; null when it is malformed.</summary>
    public static HelloFrame? TryRead(ReadOnlySpan<byte> bytes) => TryRead(bytes, ProtocolVersions.Spoken);

    /// <summary>Reads a frame for a server that speaks some versions; null when it is malformed.</summary>
    public static HelloFrame? TryRead(ReadOnlySpan<byte> bytes, ProtocolVersions spoken)
    {
        var reader = new WireReader(bytes);
        bool isHello = TryReadPrefix(
            ref reader, out ProtocolVersions versions, out bool isSealed, out string clusterName);
        if (!isHello) return null;
        if (!versions.Meets(spoken))
            return new HelloFrame { Versions = versions, IsSealed = isSealed, ClusterName = clusterName };
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
        HelloExtensions extensions = HelloExtensions.Read(ref reader);
        if (!reader.IsAtEnd || flags > (MulticastFlag | ReturningFlag) || control.IsNone) return null;
        return new HelloFrame
        {
            Versions = versions,
            IsSealed = isSealed,
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
            Extensions = extensions,
        };
    }

    private static bool TryReadPrefix(
        ref WireReader reader, out ProtocolVersions versions, out bool isSealed, out string clusterName)
    {
        // Both are read in any case, so that the reader stands at the versions.
        bool known = reader.ReadByte() == (byte)FrameKind.Hello & reader.ReadUInt32() == Magic;
        versions = FrameFields.ReadVersions(ref reader);
        isSealed = FrameFields.ReadFlag(ref reader);
        clusterName = FrameFields.ReadName(ref reader);
        return known && !reader.Failed && clusterName.Length > 0;
    }
}
