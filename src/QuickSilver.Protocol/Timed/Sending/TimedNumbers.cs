using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Timed.Sending;

/// <summary>What a sender goes on from when it comes back to a group that it had left.</summary>
/// <param name="Last">Its last packet.</param>
/// <param name="Place">Where the packets of its last step began.</param>
internal readonly record struct TimedNumbers(ulong Last, TimedPlace Place);
