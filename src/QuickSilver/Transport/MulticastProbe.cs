using System.Diagnostics;
using System.Net.Sockets;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Transport;

/// <summary>
/// Does multicast work on an interface? One socket joins a group of the pool, another sends a datagram with a nonce to it, from the kind of address
/// that nodes send from, and the first must get it. That the local stack and the interface carry multicast is all this shows; a switch that drops it
/// shows as loss.
/// </summary>
internal static class MulticastProbe
{
    private const int Tries = 2;
    private static readonly TimeSpan TryTime = TimeSpan.FromMilliseconds(200);

    /// <summary>Probes; takes microseconds where multicast works, up to 400 ms where it does not.</summary>
    /// <param name="settings">Names the pool and the ports.</param>
    /// <param name="network">The interface.</param>
    /// <param name="reason">What was found, for people.</param>
    public static bool Run(TransportSettings settings, NetworkChoice network, out string reason)
    {
        ulong nonce = (ulong)Random.Shared.NextInt64();
        uint address = settings.MulticastFirst + (uint)Math.Max(0, settings.MulticastCount - 1);
        var group = new NetEndpoint(address, (ushort)(settings.PortFirst + (int)(nonce % (ulong)settings.PortCount)));
        try
        {
            var sockets = new UdpSockets(settings, network);
            using Socket receiver = sockets.OpenReceiver(group);
            using Socket sender = sockets.OpenSender(group, OwnSource.Find(network, group.Port) ?? network.Address);
            Span<byte> probe = stackalloc byte[DatagramHeader.Length];
            new DatagramHeader { Kind = DatagramKind.Probe, Ignorable = true, Sequence = nonce }.WriteTo(probe);
            for (int attempt = 0; attempt < Tries; attempt++)
            {
                sender.Send(probe, SocketFlags.None, out SocketError error);
                if (error != SocketError.Success)
                {
                    reason = $"multicast to {group} over {network.Name} ({network.Address}) is refused: {error}";
                    return false;
                }
                if (!ComesBack(receiver, nonce)) continue;
                reason = $"a probe to {group} came back over {network.Name} ({network.Address})";
                return true;
            }
            reason = $"no probe to {group} came back over {network.Name} ({network.Address})";
            return false;
        }
        catch (SocketException refusal)
        {
            reason = $"multicast group {group} cannot be used over {network.Name} ({network.Address}): {refusal.Message}";
            return false;
        }
    }

    private static bool ComesBack(Socket receiver, ulong nonce)
    {
        byte[] buffer = new byte[ReadBufferPool.BufferBytes];
        long start = Stopwatch.GetTimestamp();
        while (true)
        {
            TimeSpan left = TryTime - Stopwatch.GetElapsedTime(start);
            if (left <= TimeSpan.Zero || !receiver.Poll(left, SelectMode.SelectRead)) return false;
            int length = receiver.Receive(buffer, SocketFlags.None, out SocketError error);
            if (error == SocketError.Success && IsProbe(buffer.AsSpan(0, length), nonce)) return true;
        }
    }

    private static bool IsProbe(ReadOnlySpan<byte> read, ulong nonce) =>
        DatagramHeader.TryRead(read, out DatagramHeader header) == RejectReason.None && header.Kind == DatagramKind.Probe && header.Sequence == nonce;
}
