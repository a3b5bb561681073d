using QuickSilver.Protocol.Security;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Testing.Security;

/// <summary>
/// Reads what a node seals, with the node's own keys: the checks look at plain datagrams. Nothing is marked.
/// </summary>
/// <param name="keys">The node's keys.</param>
internal sealed class Wiretap(KeyRing keys)
{
    /// <summary>Opens a copy of a datagram that the node has just sealed.</summary>
    /// <param name="datagram">The sealed datagram.</param>
    /// <param name="gate">The hash of its gate.</param>
    /// <returns>The plain datagram; null when it does not open.</returns>
    public byte[]? Open(ReadOnlySpan<byte> datagram, out SipHash gate)
    {
        gate = default;
        if (SealedHeader.TryRead(datagram, out DatagramHeader header, out SealedHeader fields) != RejectReason.None)
            return null;
        if (keys.Find(header.ViewTag, header.ViewCounter) is not { } view) return null;
        gate = view.Gate;
        return DatagramOpener.OpenOwn(view, fields, header, datagram);
    }
}
