using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;

namespace QuickSilver.Protocol.Delivery;

/// <summary>Handles a datagram that waited for its view, as if it came now.</summary>
/// <param name="datagram">The whole datagram; valid during the call.</param>
/// <param name="arrival">Socket and source address.</param>
/// <param name="now">The present instant.</param>
internal delegate void ReplayHandler(Slice datagram, Arrival arrival, Instant now);
