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

    /// <summary>Loss and repair. Its cache and its probes follow from what stands here.</summary>
    public RecoverySettings Recovery { get; init; } = new();

    /// <summary>Sending, and its rate. Its limits of pending and its probes follow from what stands here.</summary>
    public DisseminationSettings Dissemination { get; init; } = new();

    /// <summary>Order and delivery. Its limit of held bytes and its probes follow from what stands here.</summary>
    public DeliverySettings Delivery { get; init; } = new();

    /// <summary>True: a datagram counts only when it comes from its sender's address and port; false where the network changes them.</summary>
    public bool CheckSources { get; init; } = true;

    /// <summary>How often a heartbeat goes to the membership server.</summary>
    public TimeSpan HeartbeatInterval { get; init; } = TimeSpan.FromSeconds(1);

    /// <summary>What tests of the simulator see and move inside.</summary>
    internal Probes Probes { get; init; } = Probes.None;
}
