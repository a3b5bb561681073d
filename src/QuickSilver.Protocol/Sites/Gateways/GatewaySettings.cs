using QuickSilver.Protocol.Sites.Links;

namespace QuickSilver.Protocol.Sites.Gateways;

/// <summary>The times and limits of a gateway.</summary>
internal sealed record GatewaySettings
{
    /// <summary>Of each of its links.</summary>
    public LinkSettings Link { get; init; } = new();

    /// <summary>Bytes a second of the link to each site, by its index; 0: no cap. Null: as <see cref="Link"/> says.
    /// </summary>
    public IReadOnlyList<long>? MaxRates { get; init; }

    /// <summary>After how many packets to each site their parity goes, by its index; 0: never. Null: as
    /// <see cref="Link"/> says. Links over connections send none.</summary>
    public IReadOnlyList<int>? Parities { get; init; }

    /// <summary>True when records of a stream are delivered in the order of their numbers; else as they come.</summary>
    public bool InOrder { get; init; }

    /// <summary>Records of one stream that may be on their way: not yet held by all sites that they are for.</summary>
    public int Window { get; init; } = 1024;

    /// <summary>Streams of other sites that are known, at most.</summary>
    public int MostStreams { get; init; } = 4096;

    /// <summary>How long what is held waits to be told together.</summary>
    public TimeSpan HeldPause { get; init; } = TimeSpan.FromMilliseconds(20);

    /// <summary>True when a record counts as held once the host has said so (<see cref="Gateway.OnTaken"/>); else when
    /// it was delivered. Only with <see cref="InOrder"/>.</summary>
    public bool TellsTaken { get; init; }

    /// <summary>How long records are kept for a site that cannot be reached any more, or was not heard of since the
    /// start; zero: not at all. The window bounds them.</summary>
    public TimeSpan HoldTime { get; init; }

    /// <summary>How long a stream may stand before its lowest records are sent again to those that lack them.</summary>
    public TimeSpan RepairAfter { get; init; } = TimeSpan.FromSeconds(2);

    /// <summary>How long after members have joined here again other sites may not know it.</summary>
    public TimeSpan PassTime { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>How long records of a gateway's earlier life are still taken.</summary>
    public TimeSpan OldNodeTime { get; init; } = TimeSpan.FromSeconds(10);
}
