using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Delivery;
using QuickSilver.Protocol.Dissemination;
using QuickSilver.Protocol.Recovery;

namespace QuickSilver.Protocol.Stack;

/// <summary>Everything a node's protocol can be told; validated by the host. Defaults are the public options' defaults.</summary>
public sealed record NodeSettings
{
    /// <summary>Name of the cluster.</summary>
    public string ClusterName { get; init; } = "default";

    /// <summary>Name of the node, for people.</summary>
    public string NodeName { get; init; } = "node";

    /// <summary>Tells two lives on one address apart; rises.</summary>
    public ulong Incarnation { get; init; } = 1;

    /// <summary>Shortest time between the starts of two token rounds, unless a sender asks for feedback at once.</summary>
    public TimeSpan MinTokenInterval { get; init; } = TimeSpan.FromMilliseconds(5);

    /// <summary>Time between the starts of two token rounds while nobody waits for one.</summary>
    public TimeSpan QuietTokenInterval { get; init; } = TimeSpan.FromMilliseconds(30);

    /// <summary>Pull a gap at once from its partition, rather than wait for the token.</summary>
    public bool EagerPull { get; init; } = true;

    /// <summary>How old a gap must be before it is pulled: packets may overtake each other by as much.</summary>
    public TimeSpan ReorderGrace { get; init; } = TimeSpan.FromMicroseconds(250);

    /// <summary>Most bytes of received packets kept for others and for delivery.</summary>
    public long CacheBytes { get; init; } = 256L << 20;

    /// <summary>Most messages pending per region stream.</summary>
    public int MaxPendingMessages { get; init; } = 100_000;

    /// <summary>Most bytes pending per region stream.</summary>
    public long MaxPendingBytes { get; init; } = 64L << 20;

    /// <summary>Most bytes pending in all streams.</summary>
    public long NodeMaxPendingBytes { get; init; } = 256L << 20;

    /// <summary>Longest message this node sends.</summary>
    public int MaxMessageBytes { get; init; } = 1 << 20;

    /// <summary>True: the rate is fixed at <see cref="InitialRate"/>; false: it follows the slowest member's intake.</summary>
    public bool FixedRate { get; init; }

    /// <summary>Packets per second and region before the first feedback.</summary>
    public int InitialRate { get; init; } = 10_000;

    /// <summary>Slowest rate in packets per second and region.</summary>
    public int MinRate { get; init; } = 100;

    /// <summary>Fastest rate in packets per second and region; 0: none.</summary>
    public int MaxRate { get; init; }

    /// <summary>What recovery is told beside what stands here, which wins: times that hosts leave alone.</summary>
    public RecoverySettings Recovery { get; init; } = new();

    /// <summary>What dissemination is told beside what stands here, which wins.</summary>
    public DisseminationSettings Dissemination { get; init; } = new();

    /// <summary>What delivery is told beside what stands here, which wins.</summary>
    public DeliverySettings Delivery { get; init; } = new();

    /// <summary>True: a datagram counts only when it comes from its sender's address and port; false where the network changes them.</summary>
    public bool CheckSources { get; init; } = true;

    /// <summary>How often a heartbeat goes to the membership server.</summary>
    public TimeSpan HeartbeatInterval { get; init; } = TimeSpan.FromSeconds(1);

    /// <summary>What tests of the simulator see and move inside.</summary>
    internal Probes Probes { get; init; } = Probes.None;
}
