using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Membership;

namespace QuickSilver.Protocol.Delivery;

/// <summary>
/// One message at the moment of its delivery. The payload is valid during the call; retain the slice to keep it longer.
/// </summary>
/// <remarks>
/// It refers to the slice instead of copying it: a copy of fields that were written a moment ago stalls the processor.
/// </remarks>
/// <param name="sender">Its sender.</param>
/// <param name="number">Its number, per (sender, group), from 1.</param>
/// <param name="payload">Its bytes.</param>
internal readonly ref struct DeliveredMessage(NodeInfo sender, ulong number, in Slice payload)
{
    private readonly ref readonly Slice _payload = ref payload;

    /// <summary>Its sender.</summary>
    public NodeInfo Sender { get; } = sender;

    /// <summary>Its number, per (sender, group), from 1.</summary>
    public ulong Number { get; } = number;

    /// <summary>Its bytes.</summary>
    public ref readonly Slice Payload => ref _payload;
}
