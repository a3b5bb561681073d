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
}
