using System.Numerics;

namespace QuickSilver.Protocol.Flow.Transports;

/// <summary>
/// The charge of a datagram against a socket's receive buffer in the receiving kernel: not its length but the memory
/// that holds it (Linux: <c>truesize</c>). Windows are counted in this unit, against the buffer size that the kernel
/// reports back.
/// <para>
/// The rule is read off Linux 6.18 with SO_MEMINFO, datagram by datagram. A datagram sent alone costs a 256-byte
/// descriptor plus one block for the payload and 384 bytes of headers and trailers. The block is 576 bytes or the next
/// power of two (64 bytes cost 832, 1000 cost 2304, 8000 cost 16,640). Datagrams out of a train, and those too large
/// for such a block, keep their payload in pages: 832 bytes and the payload. A train that the reader takes whole
/// (UDP_GRO) costs 832 once. So 4 MiB asked for (8 MiB granted) hold 3,640 datagrams of 1000 bytes sent alone, 4,578
/// out of trains, and 8,160 in whole trains of 32.
/// </para>
/// <para>
/// Where the form is not known, the dearer one is charged. Network drivers have block sizes of their own (commonly
/// 2,304 for an Ethernet frame, sometimes a page). Because of that, and of memory that the kernel frees late, a window
/// uses only half of the buffer.
/// </para>
/// </summary>
internal static class KernelCharge
{
    private const int Descriptor = 256;
    private const int HeadersAndTrailer = 384;
    private const int SmallBlock = 576;
    private const int LargestBlock = 16 << 10;
    private const int PagedOverhead = Descriptor + SmallBlock;
    private const int LentShare = 2;

    /// <summary>The charge of one datagram sent alone, in whichever of the two forms costs more.</summary>
    /// <param name="bytes">Length of the datagram.</param>
    public static int OfDatagram(int bytes)
    {
        int needed = bytes + HeadersAndTrailer;
        int paged = PagedOverhead + bytes;
        if (needed > LargestBlock) return paged;
        int block = needed <= SmallBlock ? SmallBlock : (int)BitOperations.RoundUpToPowerOf2((uint)needed);
        return Math.Max(Descriptor + block, paged);
    }

    /// <summary>
    /// The charge of a train whose datagrams reach the reader one by one. Never falls when a datagram is added, so that
    /// a train can be weighed while it is built.
    /// </summary>
    /// <param name="bytes">Bytes of the whole train.</param>
    /// <param name="segmentBytes">Bytes of each datagram but the last.</param>
    public static int OfTrain(int bytes, int segmentBytes)
    {
        int count = (bytes + segmentBytes - 1) / segmentBytes;
        return count <= 1 ? OfDatagram(bytes) : Math.Max(OfDatagram(segmentBytes), (count * PagedOverhead) + bytes);
    }

    /// <summary>
    /// The charge of lent packets. A buffer could hold far more notes, but the window also keeps packets in flight
    /// within the processors' caches. Charging the full length made senders wait; charging a third let packets in
    /// flight fall out of the caches. Measured with three and eight readers.
    /// </summary>
    /// <param name="bytes">Bytes of the packets.</param>
    public static int OfLent(int bytes) => PagedOverhead + (bytes / LentShare);
}
