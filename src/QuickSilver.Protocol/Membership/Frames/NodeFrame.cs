using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership.Frames;

/// <summary>
/// Descriptions of nodes that the receiver does not know.
/// <code>
/// kind          byte
/// nodes         varint   number of nodes
/// each:
///   term          varint   epoch that gave the node its number: older than the server for an inherited node
///   server        u64
///   counter       varint
///   name          text
///   incarnation   varint
///   control       endpoint
///   data          endpoint
///   buffer        varint   receive buffer in bytes
///   datagram      varint   the longest datagram that the node's interface takes, at most 65,493; 0: no limit
///   identity      text     the identity that the node's certificate proves, 0-255 bytes; empty: none is proven
/// </code>
/// </summary>
internal static class NodeFrame
{
    private const int ShortestEntry = 25;

    /// <summary>Writes one description.</summary>
    public static void WriteEntry(FrameBuilder frame, NodeInfo node)
    {
        frame.WriteEpoch(node.Number.Epoch).WriteVarint(node.Number.Counter);
        frame.WriteText(node.Name).WriteVarint(node.Incarnation).WriteEndpoint(node.Control).WriteEndpoint(node.Data);
        frame.WriteVarint((ulong)node.ReceiveBufferBytes).WriteVarint((ulong)node.LongestDatagram);
        frame.WriteText(node.Identity);
    }

    /// <summary>Reads a body; null when it is malformed.</summary>
    public static List<NodeInfo>? TryRead(ref WireReader reader)
    {
        List<NodeInfo> nodes = ReadEntries(ref reader);
        return reader.IsAtEnd ? nodes : null;
    }

    /// <summary>Reads the number of descriptions that follow, and the descriptions.</summary>
    public static List<NodeInfo> ReadEntries(ref WireReader reader)
    {
        int count = FrameFields.ReadCount(ref reader, ShortestEntry);
        var nodes = new List<NodeInfo>(count);
        for (int index = 0; index < count && !reader.Failed; index++)
        {
            var number = new NodeNumber(FrameFields.ReadEpoch(ref reader), FrameFields.ReadCounter(ref reader));
            string name = FrameFields.ReadName(ref reader);
            ulong incarnation = reader.ReadVarint();
            NetEndpoint control = FrameFields.ReadEndpoint(ref reader);
            NetEndpoint data = FrameFields.ReadEndpoint(ref reader);
            int receiveBuffer = (int)reader.ReadVarint(int.MaxValue);
            int longest = (int)reader.ReadVarint(DatagramHeader.MaxDatagram);
            string identity = FrameFields.ReadName(ref reader);
            nodes.Add(new NodeInfo(number, name, incarnation, control, data, receiveBuffer)
            {
                LongestDatagram = longest,
                Identity = identity,
            });
        }
        return nodes;
    }
}
