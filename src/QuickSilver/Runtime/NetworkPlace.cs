using QuickSilver.Transport;

namespace QuickSilver.Runtime;

/// <summary>Where a node is to go on.</summary>
/// <param name="Network">The interface and its address.</param>
/// <param name="Multicast">Whether regions can be carried by multicast there.</param>
/// <param name="Reason">Why they are carried so.</param>
internal sealed record NetworkPlace(NetworkChoice Network, bool Multicast, string Reason);
