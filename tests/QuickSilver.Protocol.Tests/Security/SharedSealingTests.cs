using System.Buffers.Binary;
using QuickSilver.Protocol.Security;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Security;

/// <summary>Sealed datagrams of several regions: a sender in one of two, and a member of each.</summary>
public abstract class SharedSealingTests
{
    private const ulong Sender = 0x1_0000_0001;
    private const ulong OfFirst = 0x1_0000_0002;
    private const ulong OfSecond = 0x1_0000_0003;

    private static readonly ulong[][] Members = [[Sender, OfFirst], [OfSecond]];
    private readonly HashSet<ulong> _gone = [];
    private readonly SealCipher[] _ciphers;
    private readonly int _tagBytes;
    private readonly KeyRing _sender;
    private readonly KeyRing _first;
    private readonly KeyRing _second;

    private protected SharedSealingTests(SealCipher first, SealCipher second)
    {
        _ciphers = [first, second];
        Cipher = first < second ? first : second;
        _tagBytes = SealCiphers.TagBytesOf(Cipher);
        _sender = RingOf(Sender);
        _first = RingOf(OfFirst);
        _second = RingOf(OfSecond);
    }

    [Fact]
    public void AMemberOfEachRegionOpensIt()
    {
        byte[] plain = Plain([1, 2], "for all");
        byte[] datagram = Seal(plain);
        Assert.Equal(plain.Length + Added, datagram.Length);
        Assert.True(datagram.AsSpan().IndexOf("for all"u8) < 0);
        foreach ((KeyRing ring, uint view) in new[] { (_first, 1u), (_second, 2u) })
        {
            Assert.Equal(RejectReason.None, Open(ring, datagram, out byte[] opened, out OpenedDatagram of));
            Assert.Equal(plain, opened);
            Assert.Equal(ViewOf(view), of.View.Number);
            Assert.Equal(RejectReason.Replayed, Open(ring, datagram, out _, out _));
        }
    }

    private protected SealCipher Cipher { get; }

    [Fact]
    public void TheBytesAreThoseOfTheFile()
    {
        string name = _ciphers[0] != _ciphers[1] ? "hybrid-mixed"
            : Cipher == SealCipher.Aegis128L ? "hybrid-aegis" : "hybrid";
        string path = Path.Combine(AppContext.BaseDirectory, "Security", "Golden", $"{name}.hex");
        string golden = string.Concat(File.ReadLines(path).Select(static line => line.Split('#')[0]))
            .Replace(" ", "", StringComparison.Ordinal);
        string sealing = Convert.ToHexStringLower(Seal(Plain([1, 2], "for all")));
        Assert.True(golden == sealing, $"{name}: {sealing}");
    }

    [Fact]
    public void AChangedBitAnywhereIsRefusedByAll()
    {
        byte[] datagram = Seal(Plain([1, 2], "for all"));
        for (int at = 0; at < datagram.Length; at++)
        {
            byte[] changed = (byte[])datagram.Clone();
            changed[at] ^= 4;
            Assert.NotEqual(RejectReason.None, Open(_first, changed, out _, out _));
            Assert.NotEqual(RejectReason.None, Open(_second, changed, out _, out _));
        }
        Assert.Equal(RejectReason.None, Open(_first, datagram, out _, out _));
    }

    [Fact]
    public void AMemberOfOneRegionCannotGiveTheOthersAnotherText()
    {
        byte[] datagram = Seal(Plain([1, 2], "for all"));
        int end = datagram.Length - Added;
        // Who opens it knows the key of the text, and can seal another under its counter.
        SharedKey key = _sender.Shared.OwnFor(Cipher, [ViewOf(1), ViewOf(2)]);
        byte[] other = Plain([1, 2], "for few");
        byte[] nonce = new byte[ICryptoSuite.NonceBytes];
        datagram.AsSpan(end, SealedHeader.CounterBytes).CopyTo(nonce.AsSpan(sizeof(uint)));
        key.Key.Seal(
            nonce,
            datagram.AsSpan(0, DatagramHeader.Length),
            other.AsSpan(DatagramHeader.Length),
            datagram.AsSpan(DatagramHeader.Length, other.Length - DatagramHeader.Length),
            datagram.AsSpan(end + SealedHeader.CounterBytes, _tagBytes));
        Assert.Equal(RejectReason.BadTag, Open(_second, datagram, out _, out _));
    }

    [Fact]
    public void ARemovedSendersDatagramOpensNowhere()
    {
        byte[] datagram = Seal(Plain([1, 2], "late"));
        _gone.Add(Sender);
        _first.Remove(Sender);
        _second.Remove(Sender);
        Assert.Equal(RejectReason.NoKey, Open(_first, datagram, out _, out _));
        Assert.Equal(RejectReason.NoKey, Open(_second, datagram, out _, out _));
    }

    [Fact]
    public void EachSetOfViewsHasAKeyThatEndsWithOneOfThem()
    {
        byte[] both = _sender.Shared.OwnFor(Cipher, [ViewOf(1), ViewOf(2)]).Bytes.ToArray();
        SharedKey first = _sender.Shared.OwnFor(Cipher, [ViewOf(1), ViewOf(2)]);
        Assert.Same(first, _sender.Shared.OwnFor(Cipher, [ViewOf(1), ViewOf(2)]));
        Assert.NotSame(first, _sender.Shared.OwnFor(Cipher, [ViewOf(1), ViewOf(3)]));
        _sender.Retire(7, 2);
        Assert.NotEqual(both, first.Bytes.ToArray());
        Assert.NotSame(first, _sender.Shared.OwnFor(Cipher, [ViewOf(1), ViewOf(2)]));
    }

    [Fact]
    public void AKeyServesForItsCountersAndIsDrawnAgainWhenANodeGoes()
    {
        ulong[] views = [ViewOf(1), ViewOf(2)];
        SharedKey first = _sender.Shared.OwnFor(Cipher, views);
        first.Counter = (1UL << KeySchedule.CountersOfAKey) - 1;
        Assert.Same(first, _sender.Shared.OwnFor(Cipher, views));
        first.Counter++;
        SharedKey second = _sender.Shared.OwnFor(Cipher, views);
        Assert.NotSame(first, second);
        _sender.Remove(OfSecond);
        Assert.NotSame(second, _sender.Shared.OwnFor(Cipher, views));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(3)]
    [InlineData(33)]
    public void ANumberOfRegionsThatDoesNotFitIsRefused(int regions)
    {
        byte[] datagram = Seal(Plain([1, 2], "x"));
        BinaryPrimitives.WriteUInt16LittleEndian(datagram.AsSpan(SealedHeader.WriterOffset), (ushort)regions);
        Assert.NotEqual(RejectReason.None, Open(_first, datagram, out _, out _));
    }

    [Fact]
    public void ADatagramToAViewWithoutKeysIsNotSent()
    {
        byte[] plain = Plain([1, 9], "x");
        var sealer = new DatagramSealer(_sender);
        Assert.Equal(0, sealer.AddedBytes(plain));
        Assert.False(sealer.TrySeal(plain, new byte[plain.Length]));
    }

    private int Added => SealedHeader.CounterBytes + (2 * SealedRegion.Length) + (2 * _tagBytes);

    private static ulong ViewOf(uint counter) => (7UL << 32) | counter;

    private static byte[] Plain(uint[] views, string text)
    {
        byte[] bytes = new byte[1024];
        var writer = new WireWriter(bytes.AsSpan(HybridPacket.RegionsOffset));
        foreach (uint view in views)
            new HybridRegion { ViewTag = 7, ViewCounter = view, Sequence = view + 10 }.WriteTo(ref writer, false);
        BinaryPrimitives.WriteUInt16LittleEndian(bytes.AsSpan(HybridPacket.ListOffset), (ushort)writer.Written);
        PacketRecord.WriteHead(ref writer, default, 0, 1, false, default, text.Length, 0, text.Length);
        writer.WriteBytes(System.Text.Encoding.ASCII.GetBytes(text));
        bytes = bytes[..(HybridPacket.RegionsOffset + writer.Written)];
        new DatagramHeader { Kind = DatagramKind.Hybrid, Cluster = 5, Sender = Sender }.WriteTo(bytes);
        return bytes;
    }

    private byte[] Seal(byte[] plain)
    {
        var sealer = new DatagramSealer(_sender);
        byte[] sealing = new byte[plain.Length + sealer.AddedBytes(plain)];
        Assert.True(sealer.TrySeal(plain, sealing));
        return sealing;
    }

    private static RejectReason Open(
        KeyRing ring, byte[] datagram, out byte[] plain, out OpenedDatagram opened)
    {
        byte[] copy = (byte[])datagram.Clone();
        plain = [];
        opened = default;
        RejectReason reason = SealedHeader.TryRead(
            copy, ProtocolVersions.Spoken, out DatagramHeader header, out SealedHeader fields);
        if (reason != RejectReason.None) return reason;
        if (fields.Lane != SealLane.Hybrid) return RejectReason.NotAllowed;
        reason = new DatagramOpener().TryOpenShared(ring, fields, ref header, copy, out opened);
        if (reason != RejectReason.None) return reason;
        opened.Mark();
        plain = copy[..header.TotalLength];
        return reason;
    }

    private KeyRing RingOf(ulong node)
    {
        var suite = new FrameworkSuite();
        var ring = new KeyRing(suite, key => !_gone.Contains(key));
        for (uint view = 1; view <= 2; view++)
        {
            byte[] secret = [.. Enumerable.Repeat((byte)view, ICryptoSuite.KeyBytes)];
            ulong[] members = Members[view - 1];
            var told = new ViewSecret(_ciphers[view - 1], secret, null);
            if (members.Contains(node)) ring.Open(7, view, told, node, members);
            if (members.Contains(node) || node != Sender) continue;
            byte[] own = new byte[ICryptoSuite.KeyBytes];
            byte[] gate = new byte[SipHash.KeyBytes];
            KeySchedule.Writer(suite, secret, node, own);
            KeySchedule.Gate(suite, secret, gate);
            ring.Open(7, view, new ViewSecret(_ciphers[view - 1], own, gate), node, members);
        }
        return ring;
    }
}
