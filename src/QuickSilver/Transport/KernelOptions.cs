using System.Buffers.Binary;
using System.Net.Sockets;
using System.Runtime.InteropServices;

namespace QuickSilver.Transport;

/// <summary>The socket options of Linux that have no name in .NET, set by number. Elsewhere each answers "not supported".</summary>
internal static class KernelOptions
{
    private const int SolSocket = 1;
    private const int SolIp = 0;
    private const int SolUdp = 17;
    private const int IpMulticastAll = 49;
    private const int UdpSegment = 103;
    private const int UdpGro = 104;
    private const int SoMemInfo = 55;
    private const int MemInfoWords = 9;
    private const int MemInfoDrops = 8;

    /// <summary>Tells the kernel how to cut what is sent: into datagrams of so many bytes, the last may be shorter; 0: not at all.</summary>
    public static SocketError SetSegment(Socket socket, int bytes) => Set(socket, SolUdp, UdpSegment, bytes);

    /// <summary>Lets the kernel hand a train over in one read.</summary>
    public static SocketError SetCoalescing(Socket socket) => Set(socket, SolUdp, UdpGro, 1);

    /// <summary>Keeps out groups that only other sockets of this machine have joined (by default a socket gets them too).</summary>
    public static SocketError SetOwnGroupsOnly(Socket socket) => Set(socket, SolIp, IpMulticastAll, 0);

    /// <summary>Datagrams dropped for want of room in the socket's receive buffer; 0 where the kernel does not tell. About 350 ns.</summary>
    public static ulong ReadDrops(Socket socket)
    {
        if (!OperatingSystem.IsLinux()) return 0;
        Span<uint> words = stackalloc uint[MemInfoWords];
        words.Clear();
        try
        {
            int length = socket.GetRawSocketOption(SolSocket, SoMemInfo, MemoryMarshal.AsBytes(words));
            return length > MemInfoDrops * sizeof(uint) ? words[MemInfoDrops] : 0;
        }
        catch (SocketException)
        {
            return 0;
        }
    }

    private static SocketError Set(Socket socket, int level, int option, int value)
    {
        if (!OperatingSystem.IsLinux()) return SocketError.OperationNotSupported;
        Span<byte> bytes = stackalloc byte[sizeof(int)];
        if (BitConverter.IsLittleEndian) BinaryPrimitives.WriteInt32LittleEndian(bytes, value);
        else BinaryPrimitives.WriteInt32BigEndian(bytes, value);
        try
        {
            socket.SetRawSocketOption(level, option, bytes);
            return SocketError.Success;
        }
        catch (SocketException refusal)
        {
            return refusal.SocketErrorCode;
        }
    }
}
