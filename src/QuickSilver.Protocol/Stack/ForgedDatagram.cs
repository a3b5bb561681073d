using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Stack;

/// <summary>A datagram that came from another address than its sender's.</summary>
/// <param name="Kind">Its kind.</param>
/// <param name="Sender"><see cref="NodeNumber.Key"/> of the node that it names as its sender.</param>
/// <param name="Source">The address it came from.</param>
internal readonly record struct ForgedDatagram(DatagramKind Kind, ulong Sender, NetEndpoint Source);
