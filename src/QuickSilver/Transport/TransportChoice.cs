using System.Net;

namespace QuickSilver.Transport;

/// <summary>The choices of a transport at its start.</summary>
/// <param name="Implementation">"linux", "portable" or "in-process".</param>
/// <param name="InterfaceName">The name of the interface, for diagnostics.</param>
/// <param name="InterfaceAddress">The address of the interface.</param>
/// <param name="Multicast">True when regions can use IP multicast.</param>
/// <param name="Reason">The reason for multicast or unicast, for diagnostics.</param>
internal sealed record TransportChoice(
    string Implementation, string InterfaceName, IPAddress InterfaceAddress, bool Multicast, string Reason)
{
    /// <summary>The length of the network prefix, in bits.</summary>
    public int PrefixLength { get; init; } = 32;
}
