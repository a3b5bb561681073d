using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Testing.Network;

/// <summary>Holds back every copy of one kind of datagram on some ways by the same time.</summary>
internal sealed class KindDelayer(DatagramKind kind, int? from, int? to, TimeSpan by) : IDisturbance
{
    /// <inheritdoc/>
    public bool Drops(int source, int target, ulong ordinal, DatagramKind carries, Instant now) => false;

    /// <inheritdoc/>
    public TimeSpan Delays(int source, int target, DatagramKind carries) =>
        DatagramKinds.PacketOf(carries) == kind && (from ?? source) == source
            && (to ?? target) == target ? by : default;
}
