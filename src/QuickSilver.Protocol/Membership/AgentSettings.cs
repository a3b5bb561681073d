using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership;

/// <summary>What a node tells the membership server about itself.</summary>
/// <param name="ClusterName">The cluster to join: 1-255 bytes of UTF-8 without control characters.</param>
/// <param name="NodeName">The node's name, for people: at most 255 bytes of UTF-8.</param>
/// <param name="Incarnation">Tells two lives on one address apart; must rise.</param>
/// <param name="Control">Where tokens, acknowledgements, NAKs and pulls reach the node; with the incarnation its identity.</param>
/// <param name="Data">Where repairs, and data carried by unicast, reach the node.</param>
/// <param name="ReceiveBufferBytes">The receive buffer of the node's data sockets, in the kernel's own accounting.</param>
/// <param name="Multicast">The node can send and receive IP multicast; one that cannot makes its regions, and those it sends to, unicast.</param>
/// <param name="HeartbeatInterval">How often the node tells the server that it lives.</param>
public sealed record AgentSettings(
    string ClusterName,
    string NodeName,
    ulong Incarnation,
    NetEndpoint Control,
    NetEndpoint Data,
    int ReceiveBufferBytes,
    bool Multicast,
    TimeSpan HeartbeatInterval)
{
    /// <summary>The longest datagram that the node's interface takes; 0: of any length.</summary>
    public int LongestDatagram { get; init; }

    /// <summary>What tests of the simulator see and move inside.</summary>
    internal Probes Probes { get; init; } = Probes.None;
}
