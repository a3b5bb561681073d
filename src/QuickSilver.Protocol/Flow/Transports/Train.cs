using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Flow.Transports;

/// <summary>
/// Datagrams of equal length (the last may be shorter) to one destination, contiguous in memory, passed to the kernel
/// in one call.
/// </summary>
/// <param name="Bytes">The datagrams.</param>
/// <param name="SegmentBytes">Bytes of each but the last; at least <see cref="Length"/> for a single datagram.</param>
/// <param name="Route">The socket to send by.</param>
/// <param name="To">The destination, for the unicast routes.</param>
/// <param name="Channel">The destination, for the multicast route.</param>
internal readonly record struct Train(
    ReadOnlyMemory<byte> Bytes,
    int SegmentBytes,
    TrainRoute Route,
    NetEndpoint To,
    IRegionChannel? Channel)
{
    /// <summary>The most datagrams in one train: what older kernels segment in one call.</summary>
    public const int MaxDatagrams = 64;

    /// <summary>The most bytes in one train: above it the kernel silently segments in software.</summary>
    public const int MaxBytes = DatagramHeader.MaxDatagram;

    /// <summary>The most bytes of so many datagrams that may still be sealed.</summary>
    public static int RoomFor(int datagrams) => MaxBytes - (datagrams * SealedHeader.MostAdded);

    /// <summary>The bytes.</summary>
    public ReadOnlySpan<byte> Span => Bytes.Span;

    /// <summary>Bytes of all datagrams.</summary>
    public int Length => Bytes.Length;

    /// <summary>How many datagrams the train has.</summary>
    public int Count => (Length + SegmentBytes - 1) / SegmentBytes;
}
