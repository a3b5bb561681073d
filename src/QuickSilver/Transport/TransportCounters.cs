namespace QuickSilver.Transport;

/// <summary>A transport's counters since its start. Written by the core thread only.</summary>
internal sealed class TransportCounters
{
    /// <summary>Reads taken from sockets; one may hold many datagrams.</summary>
    public ulong Reads;

    /// <summary>Bytes of <see cref="Reads"/>.</summary>
    public ulong ReadBytes;

    /// <summary>Empty datagrams: the node's own trains after <see cref="EchoFilter"/>, or empty datagrams of
    /// others.</summary>
    public ulong EmptyReads;

    /// <summary>Receive calls that failed although the socket was not empty.</summary>
    public ulong ReadErrors;

    /// <summary>Trains passed to the kernel.</summary>
    public ulong TrainsSent;

    /// <summary>Datagrams in those trains.</summary>
    public ulong DatagramsSent;

    /// <summary>Bytes of those datagrams.</summary>
    public ulong BytesSent;

    /// <summary>Trains that the kernel refused (unreachable, interface down); they count as lost.</summary>
    public ulong SendErrors;

    /// <summary>Times that a full send buffer delayed a train.</summary>
    public ulong SendsBusy;

    /// <summary>Sockets that fell back to one datagram a call because the kernel refused to segment.</summary>
    public ulong SegmentationFallbacks;

    /// <summary>Segments of other nodes that were opened.</summary>
    public ulong SegmentsAttached;

    /// <summary>Failed attempts to open a segment of another node.</summary>
    public ulong AttachesRefused;

    /// <summary>Blocks of other nodes' segments that were held.</summary>
    public ulong BlocksBorrowed;

    /// <summary>Packets of those blocks that are read in place.</summary>
    public ulong PacketsBorrowed;

    /// <summary>Packets that were copied out of a segment, because this node holds too many of its blocks.</summary>
    public ulong BorrowsCopied;

    /// <summary>Notes of packets that were never there, or are no longer there.</summary>
    public ulong BorrowsRefused;

    /// <summary>Times that the node's own segment had no free block.</summary>
    public ulong BlocksWanting;

    /// <summary>Readers of the node's own segment whose process had died.</summary>
    public ulong ReadersLost;
}
