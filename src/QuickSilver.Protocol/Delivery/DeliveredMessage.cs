using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Membership;

namespace QuickSilver.Protocol.Delivery;

/// <summary>
/// One message at the moment of its delivery. The payload is valid during the call; who wants it longer retains the slice.
/// </summary>
/// <param name="Sender">Who sent it.</param>
/// <param name="Number">Its number, per (sender, group), from 1.</param>
/// <param name="Payload">Its bytes.</param>
public readonly record struct DeliveredMessage(NodeInfo Sender, ulong Number, Slice Payload);
