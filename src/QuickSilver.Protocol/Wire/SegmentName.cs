namespace QuickSilver.Protocol.Wire;

/// <summary>Where a segment is found: memory of one node that other nodes of its machine can read in place.</summary>
/// <param name="Key">Random, in the segment itself too: what is found under the name is what was meant.</param>
/// <param name="Process">The process that has it open.</param>
/// <param name="Descriptor">The process's descriptor of it.</param>
public readonly record struct SegmentName(ulong Key, uint Process, uint Descriptor);
