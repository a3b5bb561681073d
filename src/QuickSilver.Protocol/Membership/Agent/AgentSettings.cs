using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Probing;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership.Agent;

/// <summary>A node's description of itself to the membership server.</summary>
/// <param name="ClusterName">The cluster to join: 1-255 bytes of UTF-8 without control characters.</param>
/// <param name="NodeName">The node's name in diagnostics: at most 255 bytes of UTF-8.</param>
/// <param name="Incarnation">Distinguishes two lives on one address; must rise.</param>
/// <param name="Control">The endpoint for tokens, acknowledgements, NAKs and pulls; with the incarnation the node's
/// identity.</param>
/// <param name="Data">The endpoint for repairs, and for data carried by unicast.</param>
/// <param name="ReceiveBufferBytes">The receive buffer of the node's data sockets, as the kernel accounts it.</param>
/// <param name="Multicast">True when the node can send and receive IP multicast. Otherwise its regions, and those it
/// sends to, are carried by unicast.</param>
/// <param name="HeartbeatInterval">The interval between the node's heartbeats to the server.</param>
internal sealed record AgentSettings(
    string ClusterName,
    string NodeName,
    ulong Incarnation,
    NetEndpoint Control,
    NetEndpoint Data,
    int ReceiveBufferBytes,
    bool Multicast,
    TimeSpan HeartbeatInterval)
{
    /// <summary>The longest datagram that the node's interface takes, in bytes; 0: no limit.</summary>
    public int LongestDatagram { get; init; }

    /// <summary>True when the node seals its datagrams; a server of the other kind refuses it.</summary>
    public bool IsSecured { get; init; }

    /// <summary>The versions of the protocol that the node speaks.</summary>
    internal ProtocolVersions Versions { get; init; } = ProtocolVersions.Spoken;

    /// <summary>The ciphers that the node has; none when it does not seal.</summary>
    public SealCiphers Ciphers { get; init; }

    /// <summary>True when the node takes word of monitors, as all but the first builds do.</summary>
    public bool TakesMonitored { get; init; } = true;

    /// <summary>Hooks by which simulator tests observe and alter internals.</summary>
    internal Probes Probes { get; init; } = Probes.None;
}
