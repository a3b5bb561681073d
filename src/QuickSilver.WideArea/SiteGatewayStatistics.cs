namespace QuickSilver.WideArea;

/// <summary>What a <see cref="SiteGateway"/> has done since its start, and how its links are. A copy that no longer
/// changes.</summary>
public sealed record SiteGatewayStatistics
{
    /// <summary>Name of the own site.</summary>
    public string Site { get; init; } = "";

    /// <summary>True for the active gateway of the site. False while it stands by for another: it then has no links and
    /// no routes (<see cref="SiteGatewayOptions.Standby"/>).</summary>
    public bool IsActive { get; init; }

    /// <summary>The links of the own site, by the name at the other end.</summary>
    public IReadOnlyList<SiteLinkStatistics> Links { get; init; } = [];

    /// <summary>The other sites, by name.</summary>
    public IReadOnlyList<SiteRoute> Routes { get; init; } = [];

    /// <summary>The order of all sites, as the gateway sees it; null without
    /// <see cref="SiteGatewayOptions.OrdersGroups"/>.</summary>
    public SiteOrderStatistics? Order { get; init; }

    /// <summary>Messages of the own site that were read for the others.</summary>
    public long MessagesForwarded { get; init; }

    /// <summary>Messages of other sites that were published here.</summary>
    public long MessagesPublished { get; init; }

    /// <summary>Messages of the own site that the others do not get: too many waited, or the gateway was not in the
    /// group.</summary>
    public long MessagesMissed { get; init; }

    /// <summary>Messages of the own site that a gateway that stands by keeps, because some other site may lack them.
    /// </summary>
    public long MessagesKept { get; init; }

    /// <summary>Messages that it kept no longer, because there were too many
    /// (<see cref="SiteGatewayOptions.MaxWaitingBytesPerGroup"/>). They are lost only if the active one dies before
    /// other sites hold them.</summary>
    public long MessagesLetGo { get; init; }

    /// <summary>Messages of other sites that came again when a gateway took over, and were dropped.</summary>
    public long MessagesDuplicated { get; init; }

    /// <summary>Messages of other sites that are longer than the node here sends.</summary>
    public long MessagesRefused { get; init; }

    /// <summary>Records of other sites that never came: their gateway died, or a cut was longer than
    /// <see cref="SiteGatewayOptions.HoldTime"/>. A record has one message or several, or a part of one.</summary>
    public long RecordsLost { get; init; }

    /// <summary>Records of the own site that some other may lack.</summary>
    public long RecordsKept { get; init; }

    /// <summary>Records that were sent again from end to end.</summary>
    public long RecordsRepaired { get; init; }

    /// <summary>Datagrams that were sealed with no key of the links, or not at all.</summary>
    public long Strangers { get; init; }

    /// <summary>Datagrams that came again, or that an attacker sent again.</summary>
    public long Replays { get; init; }

    /// <summary>Datagrams and records that were dropped for any other reason.</summary>
    public long Rejected { get; init; }

    /// <summary>Connections that were refused: of a stranger's certificate, with a handshake that did not end in time,
    /// or of too many. Health checks that connect and send nothing do not count.</summary>
    public long ConnectionsRefused { get; init; }

    /// <summary>Datagrams that the kernel did not send, or that came faster than they were read.</summary>
    public long DatagramsDropped { get; init; }
}
