using System.Diagnostics;
using System.Net.Sockets;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Transport;

/// <summary>
/// Tests whether multicast works on an interface. One socket joins a group of the pool. Another sends it a datagram
/// with a nonce, from the kind of source address that nodes use, and the first must receive it. The test covers the
/// local stack and the interface only; a switch that drops multicast shows as loss later.
/// </summary>
internal static class MulticastProbe
{
    private const int Tries = 2;
    private static readonly TimeSpan TryTimeout = TimeSpan.FromMilliseconds(200);

    /// <summary>Runs the probe. It blocks for microseconds if multicast works, otherwise for up to 400 ms.</summary>
    /// <param name="settings">The multicast pool and the port range.</param>
    /// <param name="network">The interface to probe.</param>
    /// <param name="reason">The finding, for diagnostics.</param>
    public static bool Run(TransportSettings settings, NetworkChoice network, out string reason)
    {
        ulong nonce = (ulong)Random.Shared.NextInt64();
        (NetAddress first, int count) = network.IsIPv6
            ? (settings.MulticastIPv6First, settings.MulticastIPv6Count)
            : (settings.MulticastFirst, settings.MulticastCount);
        NetAddress address = first.Plus((uint)Math.Max(0, count - 1));
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
            reason =
                $"multicast group {group} cannot be used over {network.Name} ({network.Address}): {refusal.Message}";
            return false;
        }
    }

    private static bool ComesBack(Socket receiver, ulong nonce)
    {
        byte[] buffer = new byte[ReadBufferPool.BufferBytes];
        long start = Stopwatch.GetTimestamp();
        while (true)
        {
            TimeSpan remaining = TryTimeout - Stopwatch.GetElapsedTime(start);
            if (remaining <= TimeSpan.Zero || !receiver.Poll(remaining, SelectMode.SelectRead)) return false;
            int length = receiver.Receive(buffer, SocketFlags.None, out SocketError error);
            if (error == SocketError.Success && IsProbe(buffer.AsSpan(0, length), nonce)) return true;
        }
    }

    private static bool IsProbe(ReadOnlySpan<byte> read, ulong nonce) =>
        DatagramHeader.TryRead(read, out DatagramHeader header) == RejectReason.None
            && header.Kind == DatagramKind.Probe
            && header.Sequence == nonce;
}
