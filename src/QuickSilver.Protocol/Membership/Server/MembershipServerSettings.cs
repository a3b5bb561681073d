using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Probing;
using QuickSilver.Protocol.Security;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership.Server;

/// <summary>The settings of a membership server.</summary>
internal sealed record MembershipServerSettings
{
    /// <summary>Name of the cluster that it serves; registrations under another name are refused.</summary>
    public string ClusterName { get; init; } = "default";

    /// <summary>
    /// Upper bound of the time during which changes are gathered into one step while an earlier step is being
    /// installed.
    /// </summary>
    public TimeSpan BatchWindow { get; init; } = TimeSpan.FromSeconds(1);

    /// <summary>Time after which a step is activated without the nodes that have not installed it.</summary>
    public TimeSpan InstallTimeout { get; init; } = TimeSpan.FromSeconds(3);

    /// <summary>Time after which a silent node is removed; infinite: no node is removed for silence.</summary>
    public TimeSpan FailureTimeout { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>Time within which a node must return whose connection broke; otherwise it is removed.</summary>
    public TimeSpan ReconnectGrace { get; init; } = TimeSpan.FromSeconds(2);

    /// <summary>
    /// Time that a server waits at a takeover for missing nodes that survivors name. Null:
    /// <see cref="FailureTimeout"/>, or <see cref="ReconnectGrace"/> when no node is removed for silence.
    /// The end of a server breaks all connections at once. Where no network can keep a node away, the grace is enough.
    /// One of the missing is usually the node in the lost server's own process, and all others wait for it.
    /// </summary>
    public TimeSpan? TakeoverTimeout { get; init; }

    /// <summary>
    /// Term of the epoch when the server founds a cluster. A later founding should have a higher one, so that numbers
    /// never fall.
    /// </summary>
    public uint FirstTerm { get; init; } = 1;

    /// <summary>
    /// True when an election has given <see cref="FirstTerm"/>, and the next <see cref="ServingLease.TermsOfEach"/>, to
    /// this server alone. The server takes no other term, and takes over no node of a later one.
    /// </summary>
    public bool IsElected { get; init; }

    /// <summary>
    /// The instance of the electorate that has elected the server; 0: none has. Nodes of another one come as new ones:
    /// they have, or will have, a server of their own.
    /// </summary>
    public ulong Electorate { get; init; }

    /// <summary>
    /// Delay of the first step when the server founds a cluster: survivors of an older one may be on their way to it.
    /// </summary>
    public TimeSpan FoundingGrace { get; init; }

    /// <summary>
    /// Interval of a node's heartbeats. A connected node that was silent for two intervals may be replaced by a process
    /// that registers from its address.
    /// </summary>
    public TimeSpan HeartbeatInterval { get; init; } = TimeSpan.FromSeconds(1);

    /// <summary>
    /// True to remove no node at a takeover before half of the nodes that the survivors name have registered,
    /// themselves or as restarted processes. Likewise a server that loses sight of more than half of its nodes at once
    /// removes none until it sees half again. For servers with an address of their own, which nodes may be cut off
    /// from.
    /// </summary>
    public bool AwaitMajority { get; init; }

    /// <summary>Limit on the groups of the cluster that are in use or named by a view.</summary>
    public int MaxGroups { get; init; } = 1 << 20;

    /// <summary>Limit on the registered nodes of one identity; without certificates there is none.</summary>
    public int MaxNodesOfIdentity { get; init; } = int.MaxValue;

    /// <summary>
    /// True to refuse a node with an identity whose name is neither the identity, nor begins with it and a slash.
    /// </summary>
    public bool BindsNames { get; init; }

    /// <summary>Minimum number of members that cache a packet: the r of the papers.</summary>
    public int Replication { get; init; } = 5;

    /// <summary>First multicast address of the pool; the default: every region is carried by unicast.</summary>
    public NetAddress MulticastFirst { get; init; }

    /// <summary>Number of addresses in the pool.</summary>
    public int MulticastCount { get; init; }

    /// <summary>First UDP port for multicast.</summary>
    public ushort PortFirst { get; init; } = 15_000;

    /// <summary>Number of UDP ports for multicast.</summary>
    public int PortCount { get; init; } = 1_000;

    /// <summary>Time that an address is kept unused after its view has retired.</summary>
    public TimeSpan AddressLinger { get; init; } = TimeSpan.FromSeconds(3);

    /// <summary>
    /// Regions of the cluster above which similar ones are merged; at least 1. Int32.MaxValue: regions are exact.
    /// </summary>
    public int MaxRegions { get; init; } = int.MaxValue;

    /// <summary>
    /// Regions of two nodes and more above which similar ones are merged, so that each has an address of its own; at
    /// least 1. Int32.MaxValue: they share addresses instead.
    /// </summary>
    public int MaxMulticastRegions { get; init; } = int.MaxValue;

    /// <summary>
    /// How long the keys of a view serve in a secured cluster before the view is replaced by one of the same members;
    /// infinite: as long as the view. Every change of a region's members renews its keys, too.
    /// </summary>
    public TimeSpan RotateAfter { get; init; } = TimeSpan.FromHours(1);

    /// <summary>The versions of the protocol that the server speaks.</summary>
    internal ProtocolVersions Versions { get; init; } = ProtocolVersions.Spoken;

    /// <summary>Receives events for operators; null: none are raised.</summary>
    internal IMembershipServerEvents? Events { get; init; }

    /// <summary>
    /// Draws the 16 secret bytes by which a node proves its identity when it returns. A host must supply a
    /// cryptographic source. Null, for tests and the simulator: the server's seeded generator, whose later numbers are
    /// predictable.
    /// </summary>
    internal Func<UInt128>? DrawSecret { get; init; }

    /// <summary>
    /// The cryptography of a cluster whose datagrams are sealed: draws a secret for each region view. Null: the cluster
    /// is not secured. A node of the other kind is refused.
    /// </summary>
    internal ICryptoSuite? Crypto { get; init; }

    /// <summary>Hooks by which simulator tests observe and alter internals.</summary>
    internal Probes Probes { get; init; } = Probes.None;
}
