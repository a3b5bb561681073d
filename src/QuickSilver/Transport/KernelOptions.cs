using System.Buffers.Binary;
using System.Net.Sockets;
using System.Runtime.InteropServices;

namespace QuickSilver.Transport;

/// <summary>Linux socket options without a name in .NET, set by number. Elsewhere each call returns "not
/// supported".</summary>
internal static class KernelOptions
{
    private const int SolSocket = 1;
    private const int SolIp = 0;
    private const int SolUdp = 17;
    private const int SolIPv6 = 41;
    private const int IpMulticastAll = 49;
    private const int IpMtuDiscover = 10;
    private const int IPv6MulticastAll = 29;
    private const int IPv6MtuDiscover = 23;
    private const int DiscoverProbe = 3;
    private const int UdpSegment = 103;
    private const int UdpGro = 104;
    private const int SoMemInfo = 55;
    private const int MemInfoWords = 9;
    private const int MemInfoDrops = 8;

    /// <summary>Sets the length of the datagrams into which the kernel segments a send (the last may be shorter); 0
    /// turns segmentation off.</summary>
    public static SocketError SetSegment(Socket socket, int bytes) => Set(socket, SolUdp, UdpSegment, bytes);

    /// <summary>Lets the kernel return a train in one read.</summary>
    public static SocketError SetCoalescing(Socket socket) => Set(socket, SolUdp, UdpGro, 1);

    /// <summary>Excludes datagrams of groups that only other sockets of this machine have joined, which a socket
    /// receives by default.</summary>
    public static SocketError SetOwnGroupsOnly(Socket socket) =>
        IsIPv6(socket) ? Set(socket, SolIPv6, IPv6MulticastAll, 0) : Set(socket, SolIp, IpMulticastAll, 0);

    /// <summary>Has datagrams sent whole: a longer one than the interface carries is refused (EMSGSIZE), a router drops
    /// it. By default the kernel sends such datagrams in fragments. What a router reports of its MTU is
    /// ignored.</summary>
    public static SocketError SetUnfragmented(Socket socket) => IsIPv6(socket)
        ? Set(socket, SolIPv6, IPv6MtuDiscover, DiscoverProbe)
        : Set(socket, SolIp, IpMtuDiscover, DiscoverProbe);

    /// <summary>Reads the number of datagrams that the socket's full receive buffer dropped; 0 if the kernel does not
    /// report it. Costs about 350 ns.</summary>
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

    private static bool IsIPv6(Socket socket) => socket.AddressFamily == AddressFamily.InterNetworkV6;

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
