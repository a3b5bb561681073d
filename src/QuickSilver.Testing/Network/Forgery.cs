using System.Buffers.Binary;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Security;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Testing.Network;

/// <summary>What a stranger makes of a real datagram: one that says more, with the right checksums, from an address or
/// port that is not the sender's.
/// </summary>
internal static class Forgery
{
    private const ushort OtherPort = 0x4000;
    private const uint OtherAddress = 0x0100_0000;
    private const ushort SpoofedPort = 0x8000;
    private const uint Hosts = 0x0A;
    private const ulong HostsIPv6 = 0xFD00_0000_0000_0000;
    private const ulong LongestLeap = 200;

    /// <summary>True for an endpoint that no simulated node has.</summary>
    public static bool IsForged(NetEndpoint source) =>
        !IsOfHost(source.Address) || (source.Port & OtherPort) != 0 || IsSpoofed(source);

    /// <summary>The address of a machine.</summary>
    public static NetAddress AddressOf(int machine, bool isIPv6) =>
        isIPv6 ? new NetAddress(HostsIPv6, (ulong)machine + 1) : (Hosts << 24) + (uint)machine + 1;

    /// <summary>True for an endpoint that stands for another, with which a stranger sends.</summary>
    public static bool IsSpoofed(NetEndpoint source) => (source.Port & SpoofedPort) != 0;

    /// <summary>The endpoint that a node sees.</summary>
    public static NetEndpoint Seen(NetEndpoint source) =>
        source with { Port = (ushort)(source.Port & ~SpoofedPort) };

    /// <summary>Makes a forged datagram.</summary>
    /// <param name="pool">Gives it its memory.</param>
    /// <param name="real">The datagram that it is made of.</param>
    /// <param name="role">The socket that it is for; of multicast the port says nothing.</param>
    /// <param name="bits">Decide what it says.</param>
    /// <returns>Null when the real one has no good header.</returns>
    public static Datagram? Make(DatagramPool pool, Datagram real, SocketRole role, ulong bits)
    {
        if (real.Plain is not null && (bits >> 56) % 4 != 0) return MakeSealed(pool, real, role, bits);
        ReadOnlySpan<byte> said = real.Plain ?? real.Span;
        if (DatagramHeader.TryRead(said, out DatagramHeader header) != RejectReason.None
            || header.TotalLength != said.Length) return null;
        ulong leap = (bits >> 8) % LongestLeap;
        Span<byte> bytes = new byte[said.Length + AckBody.MaxLength];
        said.CopyTo(bytes);
        int length = said.Length;
        ReadOnlySpan<byte> body = said[DatagramHeader.Length..];
        var writer = new WireWriter(bytes[DatagramHeader.Length..]);
        var behind = new LagList();
        switch (header.Kind)
        {
            case DatagramKind.Token:
                var reader = new WireReader(body);
                var skipped = new List<int>();
                TokenHop hop = TokenHop.Read(ref reader, ushort.MaxValue, skipped);
                (hop with { Epoch = hop.Epoch + ((uint)leap & 1), Round = hop.Round + leap }).WriteTo(
                    ref writer, skipped.ToArray());
                writer.WriteBytes(reader.ReadBytes(reader.Remaining));
                length = DatagramHeader.Length + writer.Written;
                break;
            case DatagramKind.Ack when AckBody.TryRead(body, ushort.MaxValue, behind, out AckBody ack):
                (ack with
                {
                    Stable = ack.Stable + leap,
                    Highest = ack.Highest + leap,
                    ReadPosition = ack.Highest + leap
                }).WriteTo(ref writer, behind);
                length = DatagramHeader.Length + writer.Written;
                break;
            case DatagramKind.Beacon or DatagramKind.Data or DatagramKind.Note:
                header.Sequence += leap;
                break;
            default:
                break;
        }
        header.WriteTo(bytes[..length]);
        // Who cannot seal need not come from elsewhere.
        if (real.Plain is not null) return Rent(pool, bytes[..length], real, Spoof(real.From));
        return Rent(pool, bytes[..length], real, Elsewhere(real.From, role, bits));
    }

    // By one who knows the key of the gate, and no other: a sender that is no member, or a member that is gone. One who
    // knows no key sends what was heard from another place.
    private static Datagram MakeSealed(DatagramPool pool, Datagram real, SocketRole role, ulong bits)
    {
        Span<byte> bytes = new byte[2 * real.Length];
        real.Span.CopyTo(bytes);
        int length = real.Length;
        int behind = Math.Max(DatagramHeader.Length, real.Plain!.Length);
        int body = behind - DatagramHeader.Length;
        int at = (int)((bits >> 8) & 0xFFFF);
        bool isElsewhere = (bits >> 24) % 4 == 0;
        switch ((bits >> 40) % 9)
        {
            case 0 when body > 0:
                bytes[DatagramHeader.Length + (at % body)] ^= (byte)(1 + (at & 1));
                break;
            case 1:
                // The counter, or the end of the text.
                bytes[behind + (at % SealedHeader.CounterBytes)] ^= (byte)(1 << (at & 7));
                break;
            case 2:
                // The lane, or the cipher of a hybrid packet's text.
                bytes[SealedHeader.LaneOffset + ((at >> 3) & 1)] ^= (byte)(1 + (at % 7));
                break;
            case 3:
                bytes[SealedHeader.WriterOffset] ^= (byte)(1 + (at & 3));
                break;
            case 4:
                bytes[DatagramHeader.KindOffset] ^= (byte)(1 << (at & 7));
                break;
            case 5:
                length = DatagramHeader.Length + (at % (length - DatagramHeader.Length));
                break;
            case 6 when body > 0 && length + body <= DatagramHeader.MaxDatagram:
                // Its own text between its text and what is behind it.
                bytes[DatagramHeader.Length..length].CopyTo(bytes[behind..]);
                length += body;
                break;
            case 7:
                // The datagram itself, from another place.
                isElsewhere = true;
                break;
            default:
                // Flags, sequence or relay.
                int[] fields = [4, 32, 33, 38];
                bytes[fields[at % fields.Length]] ^= (byte)(1 << ((at >> 4) & 3));
                break;
        }
        bytes = bytes[..length];
        BinaryPrimitives.WriteUInt16LittleEndian(bytes[DatagramHeader.TotalLengthOffset..], (ushort)length);
        if (length >= DatagramHeader.Length + SealedHeader.LeastTagBytes)
        {
            BinaryPrimitives.WriteUInt32LittleEndian(
                bytes[SealedHeader.GateOffset..], DatagramSealer.GateOf(real.Gate, bytes));
        }
        return Rent(pool, bytes, real, isElsewhere ? Elsewhere(real.From, role, bits) : Spoof(real.From));
    }

    private static bool IsOfHost(NetAddress address) =>
        address.IsIPv6 ? address.High == HostsIPv6 : address.IPv4 >> 24 == Hosts;

    private static NetEndpoint Elsewhere(NetEndpoint source, SocketRole role, ulong bits) =>
        role == SocketRole.Multicast || (bits & 2) != 0
            ? source with { Address = Other(source.Address) }
            : source with { Port = (ushort)(source.Port | OtherPort) };

    private static NetAddress Other(NetAddress address) =>
        address.IsIPv6 ? new NetAddress(address.High ^ OtherAddress, address.Low) : address.IPv4 ^ OtherAddress;

    private static NetEndpoint Spoof(NetEndpoint source) =>
        source with { Port = (ushort)(source.Port | SpoofedPort) };

    private static Datagram Rent(DatagramPool pool, ReadOnlySpan<byte> bytes, Datagram real, NetEndpoint from)
    {
        Datagram forged = pool.Rent(bytes, real.Source, from);
        forged.IsForged = true;
        return forged;
    }
}
