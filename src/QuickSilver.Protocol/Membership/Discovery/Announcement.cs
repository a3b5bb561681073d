using QuickSilver.Protocol.Membership.Frames;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership.Discovery;

/// <summary>
/// What a membership server says of itself by multicast, in a datagram of its own. Nobody answers it. It only offers an
/// address: a process that connects there has the other side prove itself, as with an address of the configuration.
/// <code>
/// magic         u32       distinguishes the protocol from others on the port
/// version       byte
/// kind          byte      1: it serves; 2: it may serve
/// sender        u64       drawn by the process
/// number        u64       rises with each announcement of the sender, from 1
/// endpoint      endpoint  its address and TCP port
/// term          varint    that of the server; 0: none yet
/// members       varint    number of registered nodes
/// cluster       text      1-255 bytes
/// key           u64       names the key of the proof; 0: there is no proof
/// proof         32 bytes  unless the key is 0: of all bytes before
/// </code>
/// </summary>
internal readonly ref struct Announcement
{
    /// <summary>The longest announcement, in bytes. It fits any packet of IP.</summary>
    public const int MaxBytes = 512;

    /// <summary>Length of a proof, in bytes.</summary>
    public const int ProofBytes = 32;

    private const uint Magic = 0x4E415351;
    private const byte Version = 1;

    /// <summary>What is offered.</summary>
    public AnnouncementKind Kind { get; init; }

    /// <summary>Distinguishes processes.</summary>
    public ulong Sender { get; init; }

    /// <summary>The number among the announcements of the sender.</summary>
    public ulong Number { get; init; }

    /// <summary>Where it listens.</summary>
    public NetEndpoint EndPoint { get; init; }

    /// <summary>The term of the server; 0: none yet.</summary>
    public ulong Term { get; init; }

    /// <summary>The number of registered nodes.</summary>
    public int Members { get; init; }

    /// <summary>The name of the cluster, in UTF-8.</summary>
    public ReadOnlySpan<byte> Cluster { get; init; }

    /// <summary>Names the key of the proof; 0: there is no proof.</summary>
    public ulong Key { get; init; }

    /// <summary>What a proof is about: all bytes before it.</summary>
    public ReadOnlySpan<byte> Proven { get; private init; }

    /// <summary>The proof; empty if there is none.</summary>
    public ReadOnlySpan<byte> Proof { get; private init; }

    /// <summary>Writes all but the proof, which the caller adds if there is a key.</summary>
    public void WriteTo(FrameBuilder frame)
    {
        frame.Begin().WriteUInt32(Magic).WriteByte(Version).WriteByte((byte)Kind);
        frame.WriteUInt64(Sender).WriteUInt64(Number).WriteEndpoint(EndPoint);
        frame.WriteVarint(Term).WriteVarint((ulong)Members);
        frame.WriteVarint((ulong)Cluster.Length).WriteBytes(Cluster).WriteUInt64(Key);
    }

    /// <summary>Reads an announcement, without a judgement of its proof. Allocates nothing.</summary>
    /// <param name="bytes">The datagram; what is read refers to it.</param>
    /// <param name="read">What it says.</param>
    /// <returns>False when it is malformed, or names no address of a host.</returns>
    public static bool TryRead(ReadOnlySpan<byte> bytes, out Announcement read)
    {
        read = default;
        if (bytes.Length > MaxBytes) return false;
        var reader = new WireReader(bytes);
        bool isKnown = reader.ReadUInt32() == Magic & reader.ReadByte() == Version;
        var kind = (AnnouncementKind)reader.ReadByte();
        if (!isKnown || kind is not (AnnouncementKind.Server or AnnouncementKind.Candidate)) return false;
        ulong sender = reader.ReadUInt64();
        ulong number = reader.ReadUInt64();
        NetEndpoint endPoint = FrameFields.ReadEndpoint(ref reader);
        ulong term = reader.ReadVarint(uint.MaxValue);
        int members = (int)reader.ReadVarint(int.MaxValue);
        ReadOnlySpan<byte> cluster = reader.ReadBytes((int)reader.ReadVarint(FrameFields.MaxNameBytes));
        ulong key = reader.ReadUInt64();
        int proven = bytes.Length - reader.Remaining;
        ReadOnlySpan<byte> proof = key == 0 ? [] : reader.ReadBytes(ProofBytes);
        bool isWhole = reader.IsAtEnd && number > 0 && !cluster.IsEmpty;
        if (!isWhole || !endPoint.Address.IsHost || endPoint.Port == 0) return false;
        read = new Announcement
        {
            Kind = kind,
            Sender = sender,
            Number = number,
            EndPoint = endPoint,
            Term = term,
            Members = members,
            Cluster = cluster,
            Key = key,
            Proven = bytes[..proven],
            Proof = proof,
        };
        return true;
    }
}
