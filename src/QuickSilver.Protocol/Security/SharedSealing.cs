using System.Buffers.Binary;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Security;

/// <summary>
/// Seals and opens datagrams that stand for packets of several region views. The text is sealed once, under a key of
/// its sender for these views. Each view gets that key, sealed under the sender's keys in the view.
/// <para>
/// A view's part names a digest of the text. So the members of one view, who know the text's key, cannot give the
/// members of another a different text. A last tag covers all parts: nobody else can change one unnoticed.
/// </para>
/// <para>
/// Cost: as of one datagram, a digest, and one short sealing for each region at the sender.
/// Allocates nothing but keys. Core thread only.
/// </para>
/// </summary>
internal static class SharedSealing
{
    private const int DigestBytes = 32;
    private const ushort TextNonce = 0;
    private const ushort PartsNonce = 1;
    private const int AssociatedBytes = DatagramHeader.Length + SealedRegion.FieldBytes + DigestBytes;

    /// <summary>By how much a datagram grows at most, beside what other datagrams grow by.</summary>
    public static int MostAdded(int regions) => (regions * SealedRegion.Length) + SealedHeader.MostTagBytes;

    /// <summary>By how much a datagram grows; 0 when this node has no keys of one of its views.</summary>
    /// <param name="ring">The node's keys.</param>
    /// <param name="plain">The datagram.</param>
    public static int AddedBytes(KeyRing ring, ReadOnlySpan<byte> plain)
    {
        Span<ulong> views = stackalloc ulong[SealedRegion.Most];
        views = views[..HybridPacket.ViewsOf(plain, views)];
        SealCipher cipher = CipherFor(ring, views);
        return cipher == SealCipher.None ? 0 : AddedBytes(views.Length, SealCiphers.TagBytesOf(cipher));
    }

    private static int AddedBytes(int regions, int tagBytes) =>
        SealedHeader.CounterBytes + tagBytes + (regions * SealedRegion.Length) + tagBytes;

    /// <summary>Seals a hybrid datagram.</summary>
    /// <param name="ring">The node's keys.</param>
    /// <param name="plain">The datagram.</param>
    /// <param name="sealing">Destination, longer by what sealing adds.</param>
    /// <returns>False when this node may not write to one of the views.</returns>
    public static bool TrySeal(KeyRing ring, ReadOnlySpan<byte> plain, Span<byte> sealing)
    {
        Span<ulong> views = stackalloc ulong[SealedRegion.Most];
        int count = HybridPacket.ViewsOf(plain, views);
        views = views[..count];
        SealCipher cipher = CipherFor(ring, views);
        if (cipher == SealCipher.None) return false;
        int tagBytes = SealCiphers.TagBytesOf(cipher);
        SharedKey key = ring.Shared.OwnFor(cipher, views);
        SealedHeader.Write(plain, sealing, SealLane.Hybrid, (ushort)count, cipher);
        int end = plain.Length;
        ulong counter = ++key.Counter;
        BinaryPrimitives.WriteUInt64LittleEndian(sealing[end..], counter);
        Span<byte> nonce = stackalloc byte[ICryptoSuite.NonceBytes];
        DatagramSealer.WriteNonce(nonce, TextNonce, counter);
        key.Key.Seal(
            nonce,
            sealing[..DatagramHeader.Length],
            plain[DatagramHeader.Length..],
            sealing[DatagramHeader.Length..end],
            sealing.Slice(end + SealedHeader.CounterBytes, tagBytes));
        int text = end + SealedHeader.CounterBytes + tagBytes;
        Span<byte> associated = stackalloc byte[AssociatedBytes];
        WriteDigest(ring.Suite, sealing[..text], associated);
        for (int index = 0; index < count; index++)
        {
            ViewKeys view = ring.Find((uint)(views[index] >> 32), (uint)views[index])!;
            Span<byte> region = sealing.Slice(text + (index * SealedRegion.Length), SealedRegion.Length);
            SealKey(view, key, sealing, region, associated);
        }
        DatagramSealer.WriteNonce(nonce, PartsNonce, counter);
        key.Key.Seal(nonce, sealing[text..^tagBytes], [], [], sealing[^tagBytes..]);
        return true;
    }

    /// <summary>
    /// Opens a hybrid datagram in place, and makes it a plain one, by the keys of a view of this node.
    /// </summary>
    /// <param name="ring">The node's keys.</param>
    /// <param name="fields">The fields of its header that only sealed ones have.</param>
    /// <param name="header">Its header; on success with the length of the plain datagram.</param>
    /// <param name="datagram">The sealed datagram; on success its first bytes are the plain one.</param>
    /// <param name="opened">Names the view, and marks the datagram as read.</param>
    /// <returns>The reason to drop it; none on success.</returns>
    public static RejectReason TryOpen(
        KeyRing ring,
        in SealedHeader fields,
        ref DatagramHeader header,
        Span<byte> datagram,
        out OpenedDatagram opened)
    {
        opened = default;
        int count = fields.Writer;
        if (!ring.Suite.Ciphers.Contains(fields.Cipher)) return RejectReason.NoKey;
        var place = new Place(datagram.Length, count, SealCiphers.TagBytesOf(fields.Cipher));
        if (count is 0 or > SealedRegion.Most || place.End < DatagramHeader.Length) return RejectReason.WrongLength;
        if (!TryFind(ring, datagram, place, out ViewKeys? view, out Span<byte> region)) return RejectReason.UnknownView;
        ushort index = SealedRegion.WriterOf(region);
        if (!view!.MayWrite(index, header.Sender)) return RejectReason.NoKey;
        bool isItsOwn = index == SealedHeader.NoMember || view.MemberAt(index) == header.Sender;
        if (!isItsOwn) return RejectReason.NotAllowed;
        uint gate = BinaryPrimitives.ReadUInt32LittleEndian(SealedRegion.GateOf(region));
        if (GateOf(view.Gate, datagram, region) != gate) return RejectReason.Gate;
        if (view.FindWriter(index, header.Sender) is not { } writer) return RejectReason.NoKey;
        opened = new OpenedDatagram(view, writer, SealLane.Hybrid, index, SealedRegion.CounterOf(region));
        if (opened.WasRead) return RejectReason.Replayed;
        return TryDecrypt(ring, view, writer, region, fields.Cipher, ref header, datagram, place)
            ? RejectReason.None
            : RejectReason.BadTag;
    }

    /// <summary>Opens a copy of a datagram that this node has sealed itself, for checks.</summary>
    internal static byte[]? OpenOwn(
        KeyRing ring, in SealedHeader fields, DatagramHeader header, ReadOnlySpan<byte> datagram)
    {
        byte[] copy = datagram.ToArray();
        var place = new Place(copy.Length, fields.Writer, SealCiphers.TagBytesOf(fields.Cipher));
        Span<byte> region = copy.AsSpan(place.Parts, SealedRegion.Length);
        ViewKeys? view = ring.Find(SealedRegion.ViewTagOf(region), SealedRegion.ViewCounterOf(region));
        return view is not null && TryDecrypt(ring, view, view.Own, region, fields.Cipher, ref header, copy, place)
            ? copy[..header.TotalLength]
            : null;
    }

    private static void SealKey(
        ViewKeys view, SharedKey key, ReadOnlySpan<byte> datagram, Span<byte> region, Span<byte> associated)
    {
        LaneKeys lane = view.Own.LaneOf(SealLane.Hybrid);
        ulong counter = ++lane.Counter;
        SealedRegion.WriteFields(region, (uint)(view.Number >> 32), (uint)view.Number, view.OwnIndex, counter);
        region[..SealedRegion.FieldBytes].CopyTo(associated[DatagramHeader.Length..]);
        Span<byte> nonce = stackalloc byte[ICryptoSuite.NonceBytes];
        DatagramSealer.WriteNonce(nonce, view.OwnIndex, counter);
        Span<byte> tag = SealedRegion.TagOf(region);
        tag[view.TagBytes..].Clear();
        lane.For(counter).Seal(nonce, associated, key.Bytes, SealedRegion.KeyOf(region), tag[..view.TagBytes]);
        BinaryPrimitives.WriteUInt32LittleEndian(SealedRegion.GateOf(region), GateOf(view.Gate, datagram, region));
    }

    // The part of the first view that this node is a member of. A sender sends in one step, so there is one at most.
    private static bool TryFind(
        KeyRing ring, Span<byte> datagram, in Place place, out ViewKeys? view, out Span<byte> region)
    {
        for (int at = place.Parts; at < place.LastTag; at += SealedRegion.Length)
        {
            region = datagram.Slice(at, SealedRegion.Length);
            view = ring.Find(SealedRegion.ViewTagOf(region), SealedRegion.ViewCounterOf(region));
            if (view is { OwnIndex: not SealedHeader.NoMember }) return true;
        }
        view = null;
        region = default;
        return false;
    }

    private static bool TryDecrypt(
        KeyRing ring,
        ViewKeys view,
        WriterKeys writer,
        Span<byte> region,
        SealCipher cipher,
        ref DatagramHeader header,
        Span<byte> datagram,
        in Place place)
    {
        Span<byte> associated = stackalloc byte[AssociatedBytes];
        WriteDigest(ring.Suite, datagram[..place.Parts], associated);
        region[..SealedRegion.FieldBytes].CopyTo(associated[DatagramHeader.Length..]);
        Span<byte> nonce = stackalloc byte[ICryptoSuite.NonceBytes];
        ulong counter = SealedRegion.CounterOf(region);
        DatagramSealer.WriteNonce(nonce, SealedRegion.WriterOf(region), counter);
        Span<byte> bytes = stackalloc byte[ICryptoSuite.KeyBytes];
        if (!writer.LaneOf(SealLane.Hybrid).For(counter).TryOpen(
                nonce, associated, SealedRegion.KeyOf(region), SealedRegion.TagOf(region)[..view.TagBytes], bytes))
            return false;
        SharedKey key = ring.Shared.Of(header.Sender, cipher, bytes);
        bytes.Clear();
        int end = place.End;
        counter = BinaryPrimitives.ReadUInt64LittleEndian(datagram[end..]);
        DatagramSealer.WriteNonce(nonce, PartsNonce, counter);
        ReadOnlySpan<byte> parts = datagram[place.Parts..place.LastTag];
        if (!key.Key.TryOpen(nonce, parts, [], datagram[place.LastTag..], [])) return false;
        DatagramSealer.WriteNonce(nonce, TextNonce, counter);
        Span<byte> body = datagram[DatagramHeader.Length..end];
        Span<byte> tag = datagram[(end + SealedHeader.CounterBytes)..place.Parts];
        if (!key.Key.TryOpen(nonce, datagram[..DatagramHeader.Length], body, tag, body)) return false;
        header.TotalLength = end;
        // Its list is read again behind its checksum.
        if (!HybridPacket.HasList(datagram[..end])) return false;
        header.WriteTo(datagram[..end]);
        return true;
    }

    // The text's cipher: one that the members of all views have. Those of a view may lack that of another, and a node
    // with a preferred one has the lesser ones, too. None when there are no keys of one of them.
    private static SealCipher CipherFor(KeyRing ring, ReadOnlySpan<ulong> views)
    {
        SealCipher least = SealCipher.None;
        foreach (ulong number in views)
        {
            if (ring.Find((uint)(number >> 32), (uint)number) is not { Own.IsClosed: false } view)
                return SealCipher.None;
            if (least == SealCipher.None || view.Cipher < least) least = view.Cipher;
        }
        return least;
    }

    // Header and digest of what is sealed for a view beside the key; the fields of its part lie between them.
    private static void WriteDigest(ICryptoSuite suite, ReadOnlySpan<byte> text, Span<byte> associated)
    {
        text[..DatagramHeader.Length].CopyTo(associated);
        suite.Mac("qs3 hybrid"u8, text[DatagramHeader.Length..], associated[^DigestBytes..]);
    }

    private static uint GateOf(SipHash gate, ReadOnlySpan<byte> datagram, ReadOnlySpan<byte> region)
    {
        Span<byte> covered =
            stackalloc byte[DatagramHeader.Length + SealedRegion.Length - SealedHeader.GateBytes];
        datagram[..DatagramHeader.Length].CopyTo(covered);
        region[..SealedRegion.FieldBytes].CopyTo(covered[DatagramHeader.Length..]);
        region[(SealedRegion.FieldBytes + SealedHeader.GateBytes)..]
            .CopyTo(covered[(DatagramHeader.Length + SealedRegion.FieldBytes)..]);
        return (uint)gate.Of(covered);
    }

    // Where the parts of a sealed datagram lie.
    private readonly struct Place(int length, int regions, int tagBytes)
    {
        public int LastTag => length - tagBytes;

        public int Parts => LastTag - (regions * SealedRegion.Length);

        public int End => Parts - tagBytes - SealedHeader.CounterBytes;
    }
}
