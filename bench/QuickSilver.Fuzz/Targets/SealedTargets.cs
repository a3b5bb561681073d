using System.Buffers.Binary;
using QuickSilver.Fuzz.Inputs;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership.Frames;
using QuickSilver.Protocol.Security;
using QuickSilver.Protocol.Wire;
using QuickSilver.Testing.Security;

namespace QuickSilver.Fuzz.Targets;

/// <summary>
/// What reads sealed datagrams, and the frame of keys. A damaged datagram may open only as what was sealed, even when
/// its gate was made to fit; none may allocate a byte.
/// </summary>
internal sealed class SealedTargets
{
    private const ulong Sender = 11;
    private const ulong Reader = 12;
    private static readonly ulong[] Members = [Sender, Reader];

    private readonly byte[][] _plain;
    private readonly List<byte[]> _sealed = [];
    private readonly HashSet<ulong> _texts = [];
    private readonly KeyRing _reader;
    private readonly DatagramOpener _opener = new();
    private ulong _tried;

    /// <summary>Seals real traffic.</summary>
    public SealedTargets(Corpus corpus)
    {
        _plain = corpus.AllDatagrams;
        _reader = RingOf(Reader);
        KeyRing writer = RingOf(Sender);
        var sealer = new DatagramSealer(writer);
        ulong packet = 0;
        foreach (byte[] datagram in _plain)
        {
            if (DatagramHeader.TryRead(datagram, out DatagramHeader header) != RejectReason.None) continue;
            uint view = 1 + ((uint)_sealed.Count & 1);
            (header.ViewTag, header.ViewCounter, header.Sender, header.Relay) = (1, view, Sender, 0);
            if (DatagramKinds.IsFeedback(header.Kind)) header.Sequence = Reader;
            else if (header.Kind == DatagramKind.Data) header.Sequence = ++packet;
            byte[] plain = (byte[])datagram.Clone();
            header.WriteTo(plain);
            byte[] sealing = new byte[plain.Length + sealer.AddedBytes(plain)];
            if (!sealer.TrySeal(plain, sealing)) continue;
            _sealed.Add(sealing);
            _texts.Add(TextOf(header.Kind, plain.AsSpan(DatagramHeader.Length)));
        }
    }

    /// <summary>All of them.</summary>
    public IEnumerable<FuzzTarget> All()
    {
        yield return new DelegateTarget("sealed", [.. _sealed], TryOpen) { Longest = 4096 };
        yield return new DelegateTarget("keys", [.. Keys()], TryKeys) { PerByte = 32, Fixed = 1024 };
    }

    private static KeyRing RingOf(ulong node)
    {
        var ring = new KeyRing(new StandInSuite(new SeededRandom(1)), key => key is Sender or Reader);
        byte[] secret = new byte[ICryptoSuite.KeyBytes];
        ring.Open(1, 1, new ViewSecret(SealCipher.Aes256Gcm, secret, null), node, Members);
        ring.Open(1, 2, new ViewSecret(SealCipher.Aegis128L, secret, null), node, Members);
        return ring;
    }

    private static IEnumerable<byte[]> Keys()
    {
        for (uint views = 0; views < 4; views++)
        {
            var frame = new FrameBuilder();
            frame.Begin().WriteVarint(views);
            for (uint view = 1; view <= views; view++)
            {
                byte[]? gate = view == 2 ? new byte[SipHash.KeyBytes] : null;
                var secret = new ViewSecret((SealCipher)view, new byte[ICryptoSuite.KeyBytes], gate);
                KeysFrame.WriteEntry(frame, view * 300, secret);
            }
            yield return frame.ToArray();
        }
    }

    private static bool TryKeys(Span<byte> input)
    {
        var reader = new WireReader(input);
        return KeysFrame.TryRead(ref reader) is not null;
    }

    private static ulong TextOf(DatagramKind kind, ReadOnlySpan<byte> body) =>
        new SipHash("0123456789abcdef"u8).Of(body) + (ulong)kind;

    private bool TryOpen(Span<byte> input)
    {
        RejectReason reason = SealedHeader.TryRead(
            input, ProtocolVersions.Spoken, out DatagramHeader header, out SealedHeader fields);
        if (reason != RejectReason.None) return false;
        Span<byte> datagram = input[..header.TotalLength];
        if (_reader.Find(header.ViewTag, header.ViewCounter) is not { } view) return false;
        // Every other one is of somebody who knows the gate's key.
        if ((++_tried & 1) == 0)
        {
            uint gate = DatagramSealer.GateOf(view.Gate, datagram);
            BinaryPrimitives.WriteUInt32LittleEndian(datagram[SealedHeader.GateOffset..], gate);
        }
        reason = _opener.TryOpen(Reader, view, fields, ref header, datagram, out _);
        if (reason != RejectReason.None) return false;
        ulong text = TextOf(header.Kind, datagram[DatagramHeader.Length..header.TotalLength]);
        if (!_texts.Contains(text)) throw new FuzzException("what was not sealed opens");
        return true;
    }
}
