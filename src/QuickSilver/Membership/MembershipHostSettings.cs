using System.Net;
using QuickSilver.Protocol.Membership;

namespace QuickSilver.Membership;

/// <summary>What a membership host is told.</summary>
internal sealed record MembershipHostSettings
{
    /// <summary>Where it listens; port 0: any free one.</summary>
    public required IPEndPoint EndPoint { get; init; }

    /// <summary>True: it serves every cluster that a node names, one server for each; false: only that of <see cref="Server"/>.</summary>
    public bool ServesAllClusters { get; init; }

    /// <summary>What its servers are told; the cluster's name is replaced where it serves all.</summary>
    public required MembershipServerSettings Server { get; init; }

    /// <summary>Networks whose addresses a node may name as its own though its connection comes from another.</summary>
    public IReadOnlyList<IPNetwork> AllowedNetworks { get; init; } = [];

    /// <summary>Its claim to be the only host of its cluster; null: it answers no other host.</summary>
    public HostClaim? Claim { get; init; }

    /// <summary>What it bears from a connection.</summary>
    public FrameLimits Limits { get; init; } = new()
    {
        LongestFirst = MembershipFrames.MaxHelloBytes,
        Longest = MembershipFrames.MaxNodeFrameBytes,
    };

    /// <summary>The most bytes of unfinished frames, of all connections.</summary>
    public long MostUnfinished { get; init; } = 64L << 20;

    /// <summary>The most connections at once that have not said who they are; beside <see cref="MostConnections"/>.</summary>
    public int MostStrangers { get; init; } = 512;

    /// <summary>The most of those from one address.</summary>
    public int MostStrangersOfAddress { get; init; } = 64;

    /// <summary>The most of those from each loopback address.</summary>
    public int MostStrangersOfMachine { get; init; } = 256;

    /// <summary>The most connections at once that have.</summary>
    public int MostConnections { get; init; } = 8192;

    /// <summary>The most clusters at once.</summary>
    public int MostClusters { get; init; } = 4096;

    /// <summary>How long a connection may take to say who it is.</summary>
    public TimeSpan HelloTime { get; init; } = TimeSpan.FromSeconds(3);
}
