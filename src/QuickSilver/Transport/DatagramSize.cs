using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Transport;

/// <summary>
/// Chooses the length of datagrams. On a network a datagram must not be fragmented, and 1372 bytes fit the smaller MTUs
/// of tunnels and clouds.
/// <para>
/// Over loopback a datagram is a whole train, if the receive buffer holds enough of them for tens of senders, otherwise
/// 8 KiB. A train crosses loopback in one piece, and a full buffer drops it whole, so that longer datagrams lose no
/// more at a time. There are an eighth of the datagrams to account for, and an eighth of the gaps to repair. Fewer gaps
/// count most, because each gap delays all later messages.
/// </para>
/// </summary>
internal static class DatagramSize
{
    /// <summary>The MTU assumed for a loopback interface whose MTU is unreadable.</summary>
    public const int LoopbackMtu = 65_536;

    /// <summary>The bytes that IPv4 and UDP add to a datagram.</summary>
    public const int IPv4Headers = 28;

    /// <summary>The bytes that IPv6 and UDP add to a datagram.</summary>
    public const int IPv6Headers = 48;

    private const int MinLoopbackDatagram = 8192;
    private const int DatagramsInBuffer = 64;
    private const int WireDatagram = 1372;

    // Without the privilege to change it (net.inet.udp.maxdgram), its kernel sends no longer ones, on any interface.
    private const int LongestOnDarwin = 9216;

    /// <summary>Returns the longest datagram that a node sends, in bytes, including the header, without the encryption
    /// reserve.</summary>
    /// <param name="settings">The settings, which may contain the length.</param>
    /// <param name="mtu">The MTU of the interface, in bytes.</param>
    /// <param name="isLoopback">True for an interface that reaches this machine only.</param>
    /// <param name="receiveBufferBytes">The receive buffer of a data socket, in bytes.</param>
    /// <param name="headers">The bytes that IP and UDP add to a datagram.</param>
    public static int Choose(
        TransportSettings settings, int mtu, bool isLoopback, int receiveBufferBytes, int headers = IPv4Headers)
    {
        int usual = isLoopback ? Math.Max(MinLoopbackDatagram, receiveBufferBytes / DatagramsInBuffer) : WireDatagram;
        int wanted = settings.MaxDatagramBytes > 0 ? settings.MaxDatagramBytes : usual;
        return Math.Min(wanted - DatagramHeader.EncryptionReserve, Longest(mtu, headers));
    }

    /// <summary>Returns the longest datagram that an interface carries in one piece, in bytes, including the header,
    /// without the encryption reserve.</summary>
    public static int Longest(int mtu, int headers = IPv4Headers) =>
        Longest(mtu, OperatingSystem.IsMacOS(), headers);

    /// <summary>The same for a system.</summary>
    internal static int Longest(int mtu, bool isDarwin, int headers = IPv4Headers) =>
        Math.Min(mtu - headers, isDarwin ? LongestOnDarwin : DatagramHeader.MaxDatagram)
            - DatagramHeader.EncryptionReserve;

    /// <summary>Returns the limit of datagrams of a length in one train.</summary>
    public static int TrainDatagrams(int slotBytes) =>
        Math.Clamp(Train.MaxBytes / (slotBytes + SealedHeader.MostAdded), 1, Train.MaxDatagrams);
}
