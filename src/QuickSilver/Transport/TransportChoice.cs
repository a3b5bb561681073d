using System.Net;

namespace QuickSilver.Transport;

/// <summary>What a transport settled on at its start.</summary>
/// <param name="Implementation">"linux", "portable" or "in-process".</param>
/// <param name="InterfaceName">The interface, for people.</param>
/// <param name="InterfaceAddress">Its address.</param>
/// <param name="Multicast">True when regions can be carried by IP multicast.</param>
/// <param name="Reason">Why regions are carried as they are.</param>
internal sealed record TransportChoice(string Implementation, string InterfaceName, IPAddress InterfaceAddress, bool Multicast, string Reason)
{
    /// <summary>Bits of the address that name its network.</summary>
    public int PrefixLength { get; init; } = 32;
}
