using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Testing.Network;

/// <summary>Drops the next so many copies of one kind of datagram on some ways, one after the other, and nothing
/// else.</summary>
/// <param name="kind">The kind.</param>
/// <param name="from">Index of the sending machine; null: every one.</param>
/// <param name="to">Index of the receiving machine; null: every one.</param>
/// <param name="count">How many copies.</param>
internal sealed class KindDropper(DatagramKind kind, int? from, int? to, int count) : IDisturbance
{
    private int _left = count;

    /// <inheritdoc/>
    public bool Drops(int source, int target, ulong ordinal, DatagramKind carries, Instant now)
    {
        if (_left == 0 || DatagramKinds.PacketOf(carries) != kind || (from ?? source) != source
            || (to ?? target) != target) return false;
        _left--;
        return true;
    }
}
