using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Transport;

/// <summary>
/// How long a datagram may be. Over a wire it must not be fragmented, and 1372 bytes fit the smaller MTUs of tunnels and clouds.
/// <para>
/// Over loopback it is a whole train, if the receive buffer holds enough of them for tens of senders, else 8 KiB. Trains cross loopback in one piece
/// anyway, and a full buffer drops them whole, so nothing more is lost at a time; but there is an eighth of the datagrams to keep account of, and an
/// eighth of the gaps to repair when a share of them is lost: that counts most, since each gap holds back all that follows.
/// </para>
/// </summary>
internal static class DatagramSize
{
    /// <summary>MTU of a loopback interface where it cannot be read.</summary>
    public const int LoopbackMtu = 65_536;

    private const int IpAndUdpHeaders = 28;
    private const int LeastLoopbackDatagram = 8192;
    private const int DatagramsInBuffer = 64;
    private const int WireDatagram = 1372;

    /// <summary>Bytes of the longest datagram that a node sends, header included, encryption reserve taken off.</summary>
    /// <param name="settings">May say how long.</param>
    /// <param name="mtu">Of the interface.</param>
    /// <param name="isLoopback">True for an interface that reaches this machine only.</param>
    /// <param name="receiveBufferBytes">What a data socket's buffer holds.</param>
    public static int Choose(TransportSettings settings, int mtu, bool isLoopback, int receiveBufferBytes)
    {
        int usual = isLoopback ? Math.Max(LeastLoopbackDatagram, receiveBufferBytes / DatagramsInBuffer) : WireDatagram;
        int wanted = settings.MaxDatagramBytes > 0 ? settings.MaxDatagramBytes : usual;
        return Math.Min(wanted - DatagramHeader.EncryptionReserve, Longest(mtu));
    }

    /// <summary>Bytes of the longest datagram that an interface takes in one piece, header included, encryption reserve taken off.</summary>
    public static int Longest(int mtu) => Math.Min(mtu - IpAndUdpHeaders, DatagramHeader.MaxDatagram) - DatagramHeader.EncryptionReserve;

    /// <summary>The most datagrams of that length in one train.</summary>
    public static int TrainDatagrams(int slotBytes) => Math.Clamp(Train.MaxBytes / slotBytes, 1, Train.MaxDatagrams);
}
