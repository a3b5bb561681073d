using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Flow.Transports;

/// <summary>What a transport has found out when it has started.</summary>
/// <param name="Control">This node's control endpoint, as others reach it.</param>
/// <param name="Data">This node's unicast data endpoint, as others reach it.</param>
/// <param name="SlotBytes">The longest datagram this node sends, header included, less the encryption reserve.</param>
/// <param name="TrainDatagrams">The most datagrams in one train: 1 where the kernel cannot segment.</param>
/// <param name="ReceiveBufferBytes">The receive buffer that the kernel granted each data socket, in its own accounting
/// (on Linux, twice what was asked).</param>
/// <param name="Multicast">True when the start-up probe came back over the chosen interface.</param>
/// <param name="ChecksumPayloads">True when packets carry a payload checksum.</param>
internal sealed record TransportFacts(
    NetEndpoint Control,
    NetEndpoint Data,
    int SlotBytes,
    int TrainDatagrams,
    int ReceiveBufferBytes,
    bool Multicast,
    bool ChecksumPayloads)
{
    /// <summary>
    /// The longest datagram that the interface takes, from this node or to it, less the encryption reserve; 0: no
    /// limit.
    /// </summary>
    public int LongestDatagram { get; init; }
}
