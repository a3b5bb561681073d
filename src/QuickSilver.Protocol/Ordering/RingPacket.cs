using QuickSilver.Protocol.Flow.Buffers;

namespace QuickSilver.Protocol.Ordering;

/// <summary>One packet of a ring. What keeps it holds a reference to its bytes.</summary>
/// <param name="Sequence">Its place in the order.</param>
/// <param name="Sender">Index of its sender among the members of the ring.</param>
/// <param name="Step">Counter of the step that its messages are sent in.</param>
/// <param name="Bytes">A datagram: room for a header, then the body.</param>
/// <param name="Records">Where the records begin in the datagram.</param>
internal readonly record struct RingPacket(ulong Sequence, int Sender, ulong Step, Slice Bytes, int Records);
