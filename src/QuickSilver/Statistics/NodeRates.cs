namespace QuickSilver;

/// <summary>Changes of a node's counters a second, between two of its snapshots. Part of <see cref="NodeReport"/>; the
/// names are those of <see cref="NodeStatistics"/>.</summary>
public sealed record NodeRates
{
    /// <summary>Messages sent.</summary>
    public double MessagesSent { get; init; }

    /// <summary>Messages delivered.</summary>
    public double MessagesReceived { get; init; }

    /// <summary>Bytes of the messages sent.</summary>
    public double BytesSent { get; init; }

    /// <summary>Bytes of the messages delivered.</summary>
    public double BytesReceived { get; init; }

    /// <summary>Packets found missing.</summary>
    public double PacketsMissed { get; init; }

    /// <summary>Missing packets that neighbours repaired.</summary>
    public double RepairsFromPeers { get; init; }

    /// <summary>Missing packets that their senders repaired.</summary>
    public double RepairsFromSenders { get; init; }

    /// <summary>Packets repaired for other nodes.</summary>
    public double RepairsGiven { get; init; }

    /// <summary>Datagrams sent, of all kinds.</summary>
    public double DatagramsSent { get; init; }

    /// <summary>Messages that were lost.</summary>
    public double MessagesLost { get; init; }
}
