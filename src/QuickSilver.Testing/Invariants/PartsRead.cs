using System.Collections;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Testing.Invariants;

/// <summary>Which nodes have read all parts of a packet that came in parts: counted byte by byte, by none of the code
/// that joins them.</summary>
internal sealed class PartsRead
{
    private readonly Dictionary<(int Node, uint Tag, uint Counter, ulong Sender, ulong Sequence,
        int Total), BitArray> _read = [];

    /// <summary>A node has read a part.</summary>
    /// <returns>True when it has now read every byte of the packet.</returns>
    public bool Add(int node, in DatagramHeader header, ReadOnlySpan<byte> datagram)
    {
        if (!RepairPartBody.TryRead(datagram[DatagramHeader.Length..header.TotalLength], out RepairPartBody part))
            return false;
        var key = (node, header.ViewTag, header.ViewCounter, header.Sender, header.Sequence, part.Total);
        if (!_read.TryGetValue(key, out BitArray? bytes)) _read.Add(key, bytes = new BitArray(part.Total));
        for (int index = 0; index < part.Bytes.Length; index++) bytes[part.Offset + index] = true;
        if (!bytes.HasAllSet()) return false;
        _read.Remove(key);
        return true;
    }
}
