using QuickSilver.Protocol.Security;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Security;

/// <summary>Three members of a view, and a sender that is none: who seals, and who opens.</summary>
internal sealed class SealedPair
{
    public const ulong Writer = 0x1_0000_0001;
    public const ulong Reader = 0x1_0000_0002;
    public const ulong Third = 0x1_0000_0003;
    public const ulong Outsider = 0x1_0000_0009;
    public const uint Tag = 7;
    public const uint Counter = 3;

    private static readonly ulong[] Members = [Writer, Reader, Third];
    private readonly DatagramOpener _opener = new();

    public SealedPair(SealCipher cipher = SealCipher.Aes256Gcm)
    {
        Cipher = cipher;
        Secret = new byte[ICryptoSuite.KeyBytes];
        Suite.Fill(Secret);
        From = RingOf(Writer);
        To = RingOf(Reader);
    }

    public SealCipher Cipher { get; }

    public FrameworkSuite Suite { get; } = new();

    public byte[] Secret { get; }

    public KeyRing From { get; }

    public KeyRing To { get; }

    public HashSet<ulong> Gone { get; } = [];

    public KeyRing RingOf(ulong node)
    {
        var ring = new KeyRing(Suite, key => !Gone.Contains(key));
        var secret = new ViewSecret(Cipher, Secret, null);
        if (!Members.Contains(node))
        {
            byte[] own = new byte[ICryptoSuite.KeyBytes];
            byte[] gate = new byte[SipHash.KeyBytes];
            KeySchedule.Writer(Suite, Secret, node, own);
            KeySchedule.Gate(Suite, Secret, gate);
            secret = new ViewSecret(Cipher, own, gate);
        }
        ring.Open(Tag, Counter, secret, node, Members);
        return ring;
    }

    public static byte[] Plain(
        DatagramKind kind, ulong sender = Writer, ulong sequence = 5, int body = 20,
        DatagramFlags flags = DatagramFlags.None, ushort relay = 0)
    {
        byte[] datagram = new byte[DatagramHeader.Length + body];
        for (int index = 0; index < body; index++) datagram[DatagramHeader.Length + index] = (byte)(0xA0 + index);
        new DatagramHeader
        {
            Kind = kind,
            Flags = flags,
            Cluster = 0x0807060504030201,
            ViewTag = Tag,
            ViewCounter = Counter,
            Sender = sender,
            Sequence = DatagramKinds.IsFeedback(kind) ? Reader : sequence,
            Relay = relay,
        }.WriteTo(datagram);
        return datagram;
    }

    public static byte[]? Seal(KeyRing ring, byte[] plain) => Seal(new DatagramSealer(ring), plain);

    public static byte[]? Seal(DatagramSealer sealer, byte[] plain)
    {
        byte[] sealing = new byte[plain.Length + sealer.AddedBytes(plain)];
        return sealer.TrySeal(plain, sealing) ? sealing : null;
    }

    /// <summary>Opens a copy, and marks it as read.</summary>
    public RejectReason Open(byte[] datagram, out byte[] plain) => Open(To, Reader, datagram, out plain);

    public RejectReason Open(KeyRing ring, ulong self, byte[] datagram, out byte[] plain)
    {
        byte[] copy = (byte[])datagram.Clone();
        plain = [];
        RejectReason reason = SealedHeader.TryRead(
            copy, ProtocolVersions.Spoken, out DatagramHeader header, out SealedHeader fields);
        if (reason != RejectReason.None) return reason;
        if (ring.Find(header.ViewTag, header.ViewCounter) is not { } view) return RejectReason.UnknownView;
        reason = _opener.TryOpen(self, view, fields, ref header, copy, out OpenedDatagram opened);
        if (reason != RejectReason.None) return reason;
        opened.Mark();
        plain = copy[..header.TotalLength];
        return reason;
    }
}
