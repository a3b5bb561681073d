using QuickSilver.Protocol.Core;
using QuickSilver.Security;

namespace QuickSilver.Membership.Peers;

/// <summary>The settings of an election among the nodes.</summary>
internal sealed record PeerSettings
{
    /// <summary>The cluster.</summary>
    public required string ClusterName { get; init; }

    /// <summary>The name of the node.</summary>
    public required string NodeName { get; init; }

    /// <summary>What the user has chosen.</summary>
    public required PeerOptions Options { get; init; }

    /// <summary>The places to ask first; this process's own may be among them.</summary>
    public required IReadOnlyList<(string Host, int Port)> Seeds { get; init; }

    /// <summary>How long a vote is given for.</summary>
    public required TimeSpan Lease { get; init; }

    /// <summary>How long a voter may be silent before it is left out.</summary>
    public required TimeSpan Silence { get; init; }

    /// <summary>Secures connections; null for none.</summary>
    public ChannelSecurity? Security { get; init; }

    /// <summary>The clock of votes.</summary>
    public required IClock Clock { get; init; }
}
