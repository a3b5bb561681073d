using QuickSilver.Protocol.Dissemination.Groups;
using QuickSilver.Protocol.Dissemination.Streams;

namespace QuickSilver.Protocol.Dissemination.Hybrids;

/// <summary>One region that takes part in a group's hybrid packets.</summary>
/// <param name="Stream">The region's stream.</param>
/// <param name="GroupIndex">Index of the group in the region's list.</param>
internal record struct HybridPart(StreamSender Stream, int GroupIndex)
{
    /// <summary>The stream's messages.</summary>
    public readonly StreamMessages Messages => Stream.Messages;

    /// <summary>Charge that is held in the stream's window for the next packet; 0: none.</summary>
    public int Held;

    /// <summary>
    /// True when the message of which the last packet had a part is its group's first in the stream.
    /// </summary>
    public bool IsFirst;

    /// <summary>Offset of the checksum in the list of the packet under construction.</summary>
    public int ChecksumAt;

    /// <summary>Charge of the train under construction.</summary>
    public int Charge;
}
