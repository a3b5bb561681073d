namespace QuickSilver.WideArea;

/// <summary>A link of a gateway: its state, and counters since the gateway's start. Part of
/// <see cref="SiteGatewayStatistics"/>. A copy that no longer changes.</summary>
public sealed record SiteLinkStatistics
{
    /// <summary>Name of the site at the other end.</summary>
    public string Site { get; init; } = "";

    /// <summary>What carries it.</summary>
    public SiteLinkTransport Transport { get; init; }

    /// <summary>Its state.</summary>
    public SiteLinkState State { get; init; }

    /// <summary>The round trip, a moving average.</summary>
    public TimeSpan RoundTrip { get; init; }

    /// <summary>The least round trip of the last 10 to 20 s.</summary>
    public TimeSpan LeastRoundTrip { get; init; }

    /// <summary>Share of the packets sent that are lost on their way, from 0 to 1; those that the other end rebuilds
    /// from parity are among them. Always 0 by TCP, which repairs
    /// losses unseen.</summary>
    public double Loss { get; init; }

    /// <summary>Bytes a second at which packets leave, at most: the pace that was found, or the cap. By TCP: the
    /// highest rate of late at which the other end received.</summary>
    public double BytesPerSecond { get; init; }

    /// <summary>Records that wait to be sent.</summary>
    public int Waiting { get; init; }

    /// <summary>Packets that were sent and are not acknowledged.</summary>
    public int Open { get; init; }

    /// <summary>Packets sent for the first time.</summary>
    public long PacketsSent { get; init; }

    /// <summary>Packets sent again.</summary>
    public long PacketsResent { get; init; }

    /// <summary>Parities sent (<see cref="SiteLinkOptions.ParityEvery"/>).</summary>
    public long ParitiesSent { get; init; }

    /// <summary>Packets that came for the first time.</summary>
    public long PacketsReceived { get; init; }

    /// <summary>Packets that came again.</summary>
    public long PacketsDuplicated { get; init; }

    /// <summary>Packets that were lost, and were rebuilt here from parity of the other end.</summary>
    public long PacketsRebuilt { get; init; }

    /// <summary>Bytes of packets that were sent, those sent again and parities included.</summary>
    public long BytesSent { get; init; }

    /// <summary>Datagrams that opened and were dropped: of another life, another overlay, or malformed.</summary>
    public long Rejected { get; init; }

    /// <summary>Times that the link came up.</summary>
    public long Ups { get; init; }

    /// <summary>Times that it failed.</summary>
    public long Failures { get; init; }
}
