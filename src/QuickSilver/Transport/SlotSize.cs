using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Transport;

/// <summary>
/// How long a datagram may be. Over loopback 8 KiB datagrams with eight 1000-byte messages moved half as many messages again as 1000-byte ones, and
/// single 60 kB ones no more; over a wire a datagram must not be fragmented, and 1372 bytes fit the smaller MTUs of tunnels and clouds.
/// </summary>
internal static class SlotSize
{
    /// <summary>MTU of a loopback interface where it cannot be read.</summary>
    public const int LoopbackMtu = 65_536;

    private const int IpAndUdpHeaders = 28;
    private const int LoopbackDatagram = 8192;
    private const int WireDatagram = 1372;

    /// <summary>Bytes of the longest datagram that a node sends, header included, encryption reserve taken off.</summary>
    public static int Choose(TransportSettings settings, int mtu, bool isLoopback)
    {
        int wanted = settings.MaxDatagramBytes > 0 ? settings.MaxDatagramBytes : isLoopback ? LoopbackDatagram : WireDatagram;
        int fits = Math.Min(mtu - IpAndUdpHeaders, DatagramHeader.MaxDatagram);
        return Math.Min(wanted, fits) - DatagramHeader.EncryptionReserve;
    }

    /// <summary>The most datagrams of that length in one train.</summary>
    public static int TrainDatagrams(int slotBytes) => Math.Clamp(Train.MaxBytes / slotBytes, 1, Train.MaxDatagrams);
}
