using System.Net;
using QuickSilver.Membership.Peers;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership.Frames;
using QuickSilver.Protocol.Membership.Server;
using QuickSilver.Security;

namespace QuickSilver.Membership;

/// <summary>The settings of a membership host.</summary>
internal sealed record MembershipHostSettings
{
    /// <summary>The endpoint to listen on; port 0 for any free one.</summary>
    public required IPEndPoint EndPoint { get; init; }

    /// <summary>The settings of its server.</summary>
    public required MembershipServerSettings Server { get; init; }

    /// <summary>Secures connections; null for none.</summary>
    public ChannelSecurity? Security { get; init; }

    /// <summary>Decides whether a node may enter a group; null to let every node in.</summary>
    public Func<AuthorizationRequest, bool>? Authorize { get; init; }

    /// <summary>The limit of handshakes that compute at the same time.</summary>
    public int MaxHandshakes { get; init; } = 8;

    /// <summary>Networks whose addresses a node may register although its connection comes from another
    /// address.</summary>
    public IReadOnlyList<IPNetwork> AllowedNetworks { get; init; } = [];

    /// <summary>The clock of its thread; null for that of the machine.</summary>
    public IClock? Clock { get; init; }

    /// <summary>The claim to be the only host of its cluster; null to answer no other host.</summary>
    public HostClaim? Claim { get; init; }

    /// <summary>Answers the questions of an election among the nodes; null where there is none.</summary>
    public IVoteHost? Votes { get; init; }

    /// <summary>The limits of each connection.</summary>
    public FrameLimits Limits { get; init; } = new()
    {
        LongestFirst = MembershipFrames.MaxHelloBytes,
        Longest = MembershipFrames.MaxNodeFrameBytes,
    };

    /// <summary>The limit of unfinished frames of all connections, in bytes.</summary>
    public long MaxUnfinishedBytes { get; init; } = 64L << 20;

    /// <summary>The limit of concurrent unidentified connections, in addition to
    /// <see cref="MaxConnections"/>.</summary>
    public int MaxStrangers { get; init; } = 512;

    /// <summary>The limit of unidentified connections from one address.</summary>
    public int MaxStrangersPerAddress { get; init; } = 64;

    /// <summary>The limit of unidentified connections from each loopback address.</summary>
    public int MaxStrangersPerLoopbackAddress { get; init; } = 256;

    /// <summary>The limit of concurrent identified connections.</summary>
    public int MaxConnections { get; init; } = 8192;

    /// <summary>The time within which a connection must identify itself.</summary>
    public TimeSpan HelloTime { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>The same for connections within the machine: where it is overloaded, both ends are.</summary>
    public TimeSpan LoopbackHelloTime { get; init; } = TimeSpan.FromSeconds(30);
}
