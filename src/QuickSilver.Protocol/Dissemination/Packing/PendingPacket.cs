using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Membership;

namespace QuickSilver.Protocol.Dissemination.Packing;

/// <summary>One packet that was sent and is not yet known stable.</summary>
internal struct PendingPacket
{
    /// <summary>The datagram as it was sent, with one reference.</summary>
    public Slice Datagram;

    /// <summary>
    /// Where <see cref="Datagram"/> is one of several regions, the position of the stream's region in it, from 1. 0: it
    /// is the stream's own.
    /// </summary>
    public byte RegionInShared;

    /// <summary>The window's running total after this packet.</summary>
    public long Charge;

    /// <summary>When it was sent first.</summary>
    public Instant Sent;

    /// <summary>When it was last sent again, or requested while the repair was still waiting; zero: never.</summary>
    public Instant Repaired;

    /// <summary>The first member that has lately asked for it alone.</summary>
    public NodeInfo? FirstAsker;

    /// <summary>The second; a third makes it a repair of the whole region.</summary>
    public NodeInfo? SecondAsker;

    /// <summary>True when it has lately been sent again to the whole region.</summary>
    public bool RepairedToAll;

    /// <summary>How often it was sent again, or is to be: up to 255.</summary>
    public byte Repeats;

    /// <summary>How many of its repairs still wait to be sent.</summary>
    public int WaitingRepairs;
}
