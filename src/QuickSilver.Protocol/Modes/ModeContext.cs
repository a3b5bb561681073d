using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Dissemination.Groups;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Flow.Pull;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Probing;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Modes;

/// <summary>What a mode's engine has to work with; shared with nobody else, except where a member says so.</summary>
internal sealed class ModeContext
{
    /// <summary>The node's sockets.</summary>
    public required ITransport Transport { get; init; }

    /// <summary>Where the engine registers its feeds, by priority; the node's.</summary>
    public required ISink Roots { get; init; }

    /// <summary>Fires the engine's timers.</summary>
    public required AlarmQueue Alarms { get; init; }

    /// <summary>The engine's randomness.</summary>
    public required SeededRandom Random { get; init; }

    /// <summary>The node's memory.</summary>
    public required BufferPool Pool { get; init; }

    /// <summary>Hooks of simulator tests.</summary>
    public required Probes Probes { get; init; }

    /// <summary>The cluster as installed here.</summary>
    public required ClusterView Cluster { get; init; }

    /// <summary>The messages of the mode's groups on their way out.</summary>
    public required ModeOutlet Outlet { get; init; }

    /// <summary>Turns datagrams into trains to the members of region views.</summary>
    public required RegionCasts Casts { get; init; }

    /// <summary>Flags of datagrams whose body may have a checksum of its own: this node's settings say whether it
    /// has.</summary>
    public DatagramFlags PacketFlags { get; init; }

    /// <summary>This node's key, once it is registered.</summary>
    public ulong SelfKey { get; set; }

    /// <summary>The cluster's instance, once the node is registered.</summary>
    public ulong ClusterInstance { get; set; }

    /// <summary>Begins the header of a datagram of this node.</summary>
    /// <param name="kind">Its kind.</param>
    /// <param name="view">The view of those who receive it; of a request, the own one.</param>
    /// <param name="sequence">Its sequence; in feedback, the node that it is addressed to.</param>
    /// <param name="flags">Its flags.</param>
    public DatagramHeader Header(
        DatagramKind kind, RegionView view, ulong sequence = 0, DatagramFlags flags = DatagramFlags.None) => new()
        {
            Version = view.Version,
            Kind = kind,
            Flags = flags,
            Cluster = ClusterInstance,
            ViewTag = view.Number.Tag,
            ViewCounter = view.Number.Counter,
            Sender = SelfKey,
            Sequence = sequence,
        };
}
