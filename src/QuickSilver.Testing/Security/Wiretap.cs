using System.Buffers.Binary;
using QuickSilver.Protocol.Security;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Testing.Security;

/// <summary>
/// Reads what a node seals, with the node's own keys: the checks look at plain datagrams. Nothing is marked. What waits
/// for a full socket is read before it waits, since the node may close the keys of its view meanwhile.
/// </summary>
/// <param name="keys">The node's keys.</param>
internal sealed class Wiretap(KeyRing keys)
{
    private readonly Dictionary<UInt128, (byte[] Sealed, byte[] Plain, SipHash Gate)> _waiting = [];

    /// <summary>Reads a datagram that has to wait for the socket.</summary>
    public void OnWaits(ReadOnlySpan<byte> datagram)
    {
        if (Open(datagram, out SipHash gate) is { } plain)
            _waiting[TagOf(datagram)] = (datagram.ToArray(), plain, gate);
    }

    /// <summary>Opens a copy of a datagram that the node has sealed just now, or that has waited.</summary>
    /// <param name="datagram">The sealed datagram.</param>
    /// <param name="gate">The hash of its gate.</param>
    /// <returns>The plain datagram; null when it does not open, or has changed while it waited.</returns>
    public byte[]? Open(ReadOnlySpan<byte> datagram, out SipHash gate)
    {
        gate = default;
        if (datagram.Length >= SealedHeader.LeastTagBytes && _waiting.Remove(TagOf(datagram), out var waited))
        {
            gate = waited.Gate;
            return datagram.SequenceEqual(waited.Sealed) ? waited.Plain : null;
        }
        RejectReason reason = SealedHeader.TryRead(
            datagram, ProtocolVersions.All, out DatagramHeader header, out SealedHeader fields);
        if (reason != RejectReason.None) return null;
        if (fields.Lane == SealLane.Hybrid) return SharedSealing.OpenOwn(keys, fields, header, datagram);
        if (keys.Find(header.ViewTag, header.ViewCounter) is not { } view) return null;
        gate = view.Gate;
        return DatagramOpener.OpenOwn(view, fields, header, datagram);
    }

    private static UInt128 TagOf(ReadOnlySpan<byte> datagram) =>
        BinaryPrimitives.ReadUInt128LittleEndian(datagram[^SealedHeader.LeastTagBytes..]);
}
