using System.Net;
using System.Net.Sockets;

namespace QuickSilver.Bench.Processes;

/// <summary>Finds local ports, so that clusters that run at the same time do not meet.</summary>
internal static class FreePort
{
    // Below what systems give to sockets that do not care: until the port is used, another socket's local end could
    // become the same.
    private const int First = 20_000;
    private const int Last = 32_000;
    private const int Tries = 100;

    /// <summary>A port that nobody listened on a moment ago, nor received datagrams.</summary>
    /// <exception cref="InvalidOperationException">There is none, or this program may not bind sockets.</exception>
    public static int Find()
    {
        for (int attempt = 0; attempt < Tries; attempt++)
        {
            int port = Random.Shared.Next(First, Last);
            if (IsFree(SocketType.Stream, ProtocolType.Tcp, port) && IsFree(SocketType.Dgram, ProtocolType.Udp, port))
                return port;
        }
        throw new InvalidOperationException($"none of {Tries} ports between {First} and {Last} could be bound");
    }

    private static bool IsFree(SocketType type, ProtocolType protocol, int port)
    {
        try
        {
            using var socket = new Socket(AddressFamily.InterNetwork, type, protocol);
            socket.Bind(new IPEndPoint(IPAddress.Loopback, port));
            return true;
        }
        catch (SocketException)
        {
            return false;
        }
    }
}
