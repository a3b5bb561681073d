using System.Net;

namespace QuickSilver.WideArea.Links;

/// <summary>A datagram as it came, in memory that is used again. One thread at a time.</summary>
/// <param name="buffer">Holds the longest.</param>
/// <param name="source">Is written with each.</param>
internal sealed class ReceivedDatagram(byte[] buffer, SocketAddress source)
{
    /// <summary>The memory.</summary>
    public byte[] Buffer => buffer;

    /// <summary>Bytes that came.</summary>
    public int Length { get; set; }

    /// <summary>Where it says that it comes from: anybody may write that.</summary>
    public SocketAddress Source => source;

    /// <summary>The bytes.</summary>
    public Span<byte> Bytes => buffer.AsSpan(0, Length);
}
