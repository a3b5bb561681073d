namespace QuickSilver.Protocol.Wire;

/// <summary>The name of a segment: memory of one node that other nodes of its machine can read in place.</summary>
/// <param name="Key">Random, stored in the segment too: it proves that the right segment was found under the
/// name.</param>
/// <param name="Process">The process that has it open.</param>
/// <param name="Descriptor">The process's descriptor of it.</param>
internal readonly record struct SegmentName(ulong Key, uint Process, uint Descriptor);
