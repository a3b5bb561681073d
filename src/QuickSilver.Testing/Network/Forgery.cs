using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Testing.Network;

/// <summary>What a stranger makes of a real datagram: one that says more, with the right checksums, from an address or
/// port that is not the sender's.
/// </summary>
internal static class Forgery
{
    private const ushort OtherPort = 0x4000;
    private const uint OtherAddress = 0x0100_0000;
    private const uint Hosts = 0x0A;
    private const ulong LongestLeap = 200;

    /// <summary>True for an endpoint that no simulated node has.</summary>
    public static bool IsForged(NetEndpoint source) =>
        (source.Address >> 24) != Hosts || (source.Port & OtherPort) != 0;

    /// <summary>Makes a forged datagram.</summary>
    /// <param name="pool">Gives it its memory.</param>
    /// <param name="real">The datagram that it is made of.</param>
    /// <param name="role">The socket that it is for; of multicast the port says nothing.</param>
    /// <param name="bits">Decide what it says.</param>
    /// <returns>Null when the real one has no good header.</returns>
    public static Datagram? Make(DatagramPool pool, Datagram real, SocketRole role, ulong bits)
    {
        if (DatagramHeader.TryRead(real.Span, out DatagramHeader header) != RejectReason.None
            || header.TotalLength != real.Length) return null;
        ulong leap = (bits >> 8) % LongestLeap;
        Span<byte> bytes = new byte[real.Length + AckBody.MaxLength];
        real.Span.CopyTo(bytes);
        int length = real.Length;
        ReadOnlySpan<byte> body = real.Span[DatagramHeader.Length..];
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
        bool isElsewhere = role == SocketRole.Multicast || (bits & 2) != 0;
        NetEndpoint from = isElsewhere
            ? real.From with { Address = real.From.Address ^ OtherAddress }
            : real.From with { Port = (ushort)(real.From.Port | OtherPort) };
        Datagram forged = pool.Rent(bytes[..length], real.Source, from);
        forged.IsForged = true;
        return forged;
    }
}
