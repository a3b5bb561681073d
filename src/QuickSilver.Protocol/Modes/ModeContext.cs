using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Dissemination.Groups;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Flow.Pull;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Probing;

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

    /// <summary>This node's key, once it is registered.</summary>
    public ulong SelfKey { get; set; }

    /// <summary>The cluster's instance, once the node is registered.</summary>
    public ulong ClusterInstance { get; set; }
}
