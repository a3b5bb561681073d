using QuickSilver.Protocol.Core;

namespace QuickSilver.Protocol.Membership;

/// <summary>What a membership server is told.</summary>
public sealed record MembershipServerSettings
{
    /// <summary>The cluster it serves; registrations under another name are refused.</summary>
    public string ClusterName { get; init; } = "default";

    /// <summary>Upper bound of the time during which changes are gathered into one step while an earlier step is being installed.</summary>
    public TimeSpan BatchWindow { get; init; } = TimeSpan.FromSeconds(1);

    /// <summary>A step is activated without those that have not installed it by then.</summary>
    public TimeSpan InstallTimeout { get; init; } = TimeSpan.FromSeconds(3);

    /// <summary>A node silent for this long is removed; infinite: nobody is removed for silence.</summary>
    public TimeSpan FailureTimeout { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>A node whose connection broke is removed unless it is back within this time.</summary>
    public TimeSpan ReconnectGrace { get; init; } = TimeSpan.FromSeconds(2);

    /// <summary>
    /// How long a server that takes a cluster over waits for nodes that survivors name and that do not come; null: <see cref="FailureTimeout"/>, or
    /// <see cref="ReconnectGrace"/> where nobody is removed for silence. The end of a server breaks all connections at once, so where a network
    /// cannot be what keeps a node away, it need be no longer than that grace: one of those missing is the node in the lost server's own process, as
    /// a rule, and everybody waits for it.
    /// </summary>
    public TimeSpan? TakeoverTimeout { get; init; }

    /// <summary>
    /// Term of the epoch, if the server founds a cluster; a later founding should have a higher one, so that numbers never go back.
    /// </summary>
    public uint FirstTerm { get; init; } = 1;

    /// <summary>How long a server that founds a cluster waits with its first step: survivors of an older one may be on their way to it.</summary>
    public TimeSpan FoundingGrace { get; init; }

    /// <summary>How often a node says that it lives. One that is connected, and has said nothing for two of these, may be replaced by a process that
    /// registers from its address.</summary>
    public TimeSpan HeartbeatInterval { get; init; } = TimeSpan.FromSeconds(1);

    /// <summary>
    /// A server that takes over removes nobody before half of the nodes that the survivors name have registered, themselves or as restarted processes;
    /// and one that loses sight of more than half of its nodes at once removes nobody before it sees half again. For servers with an address of their
    /// own, which nodes may be cut off from.
    /// </summary>
    public bool AwaitMajority { get; init; }

    /// <summary>Most groups of the cluster that anything names.</summary>
    public int MaxGroups { get; init; } = 1 << 20;

    /// <summary>Most groups of one node: that it is in or waits for, and that were made for it and that anything names. Never more than a quarter of
    /// <see cref="MaxGroups"/>.</summary>
    public int MaxGroupsOfNode { get; init; } = 1 << 16;

    /// <summary>How many members cache a packet, at least: the r of the papers.</summary>
    public int Replication { get; init; } = 5;

    /// <summary>First multicast address of the pool in host order; 0: every region is carried by unicast.</summary>
    public uint MulticastFirst { get; init; }

    /// <summary>Addresses in the pool.</summary>
    public int MulticastCount { get; init; }

    /// <summary>First UDP port for multicast.</summary>
    public ushort PortFirst { get; init; } = 15_000;

    /// <summary>UDP ports for multicast.</summary>
    public int PortCount { get; init; } = 1_000;

    /// <summary>How long an address rests after its view has retired.</summary>
    public TimeSpan AddressLinger { get; init; } = TimeSpan.FromSeconds(3);

    /// <summary>Told what people should know; null: nobody is.</summary>
    internal IMembershipServerEvents? Events { get; init; }

    /// <summary>
    /// Draws the 16 bytes by which a node proves that it is the one that was welcomed; a host must hand in a cryptographic source. Null, for tests and
    /// the simulator: the server's seeded generator, whose later numbers follow from one that is known.
    /// </summary>
    internal Func<UInt128>? DrawSecret { get; init; }

    /// <summary>What tests of the simulator see and move inside.</summary>
    internal Probes Probes { get; init; } = Probes.None;
}
