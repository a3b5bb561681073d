namespace QuickSilver.Transport;

/// <summary>A transport's counters since its start. Written by the core thread only.</summary>
internal sealed class TransportCounters
{
    /// <summary>Reads taken from sockets; one may hold many datagrams.</summary>
    public ulong Reads;

    /// <summary>Bytes of those reads.</summary>
    public ulong ReadBytes;

    /// <summary>Empty datagrams: what <see cref="EchoFilter"/> leaves of the node's own trains, or somebody's.</summary>
    public ulong EmptyReads;

    /// <summary>Receive calls that failed for another reason than an empty socket.</summary>
    public ulong ReadErrors;

    /// <summary>Trains handed to the kernel.</summary>
    public ulong TrainsSent;

    /// <summary>Datagrams in those trains.</summary>
    public ulong DatagramsSent;

    /// <summary>Bytes of those datagrams.</summary>
    public ulong BytesSent;

    /// <summary>Trains the kernel refused (unreachable, interface down); they count as lost.</summary>
    public ulong SendErrors;

    /// <summary>Times that a full send buffer put a train off.</summary>
    public ulong SendsBusy;

    /// <summary>Sockets that fell back to one datagram a call because the kernel refused to segment.</summary>
    public ulong SegmentationFallbacks;

    /// <summary>Others' segments that were opened.</summary>
    public ulong SegmentsAttached;

    /// <summary>Times that one was to be opened and could not be.</summary>
    public ulong AttachesRefused;

    /// <summary>Blocks of others' segments that were taken hold of.</summary>
    public ulong BlocksBorrowed;

    /// <summary>Packets that were found in those and are read in place.</summary>
    public ulong PacketsBorrowed;

    /// <summary>Packets that were copied out of a segment, because too much of it is held.</summary>
    public ulong BorrowsCopied;

    /// <summary>Notes of what is not there, or not any more.</summary>
    public ulong BorrowsRefused;

    /// <summary>Times that the own segment had no block to give.</summary>
    public ulong BlocksWanting;

    /// <summary>Readers of the own segment whose process was found dead.</summary>
    public ulong ReadersLost;
}
