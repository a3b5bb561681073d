using QuickSilver.Transport;

namespace QuickSilver.Runtime;

/// <summary>The interface and address at which a node continues.</summary>
/// <param name="Network">The interface and its address.</param>
/// <param name="Multicast">True when regions can use multicast there.</param>
/// <param name="Reason">The reason for that choice, for diagnostics.</param>
internal sealed record NetworkPlace(NetworkChoice Network, bool Multicast, string Reason);
