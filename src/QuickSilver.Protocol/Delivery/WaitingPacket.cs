using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Delivery;

/// <summary>A packet of a step that is not installed yet.</summary>
/// <param name="View">The view it came in.</param>
/// <param name="Sender">Its sender.</param>
/// <param name="Step">Its step.</param>
/// <param name="Datagram">The packet, with one reference.</param>
internal readonly record struct WaitingPacket(RegionView View, NodeInfo Sender, StepNumber Step, Slice Datagram)
{
    /// <summary>The packet's charge against the cap.</summary>
    public long Charge => Datagram.Length + HeldBatch.Overhead;
}
