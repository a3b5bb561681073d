using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Delivery;
using QuickSilver.Protocol.Dissemination;
using QuickSilver.Protocol.Ordering;
using QuickSilver.Protocol.Probing;
using QuickSilver.Protocol.Recovery;
using QuickSilver.Protocol.Security;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Stack;

/// <summary>
/// The complete configuration of a node's protocol, validated by the host. Defaults are the public options' defaults.
/// </summary>
internal sealed record NodeSettings
{
    /// <summary>Name of the cluster.</summary>
    public string ClusterName { get; init; } = "default";

    /// <summary>Name of the node, for diagnostics.</summary>
    public string NodeName { get; init; } = "node";

    /// <summary>Distinguishes successive nodes on one address; rises.</summary>
    public ulong Incarnation { get; init; } = 1;

    /// <summary>Limit on the bytes of received packets kept for others and for delivery.</summary>
    public long CacheBytes { get; init; } = 256L << 20;

    /// <summary>Limit on the messages pending per region stream.</summary>
    public int MaxPendingMessages { get; init; } = 100_000;

    /// <summary>Limit on the bytes pending per region stream.</summary>
    public long MaxPendingBytes { get; init; } = 64L << 20;

    /// <summary>Limit on the bytes pending in all streams.</summary>
    public long NodeMaxPendingBytes { get; init; } = 256L << 20;

    /// <summary>Longest message this node sends.</summary>
    public int MaxMessageBytes { get; init; } = 1 << 20;

    /// <summary>
    /// How long one member may hold this node at its limit before the node asks the server to remove it; infinite: the
    /// node waits for every member.
    /// </summary>
    public TimeSpan SlowMemberTimeout { get; init; } = TimeSpan.FromSeconds(5);

    /// <summary>Loss and repair. Its cache and its probes follow from the settings here.</summary>
    public RecoverySettings Recovery { get; init; } = new();

    /// <summary>Sending, and its rate. Its limits of pending and its probes follow from the settings here.</summary>
    public DisseminationSettings Dissemination { get; init; } = new();

    /// <summary>Order and delivery. Its limit of held bytes and its probes follow from the settings here.</summary>
    public DeliverySettings Delivery { get; init; } = new();

    /// <summary>The ring of the node's ordered groups.</summary>
    public RingSettings Ring { get; init; } = new();

    /// <summary>
    /// True: a datagram counts only when it comes from its sender's address and port; false where the network changes
    /// them.
    /// </summary>
    public bool CheckSources { get; init; } = true;

    /// <summary>How often a heartbeat goes to the membership server.</summary>
    public TimeSpan HeartbeatInterval { get; init; } = TimeSpan.FromSeconds(1);

    /// <summary>The cryptography by which datagrams are sealed; null: they are not.</summary>
    internal ICryptoSuite? Crypto { get; init; }

    /// <summary>The versions of the protocol that the node speaks.</summary>
    internal ProtocolVersions Versions { get; init; } = ProtocolVersions.Spoken;

    /// <summary>Hooks by which tests of the simulator observe and steer the internals.</summary>
    internal Probes Probes { get; init; } = Probes.None;
}
