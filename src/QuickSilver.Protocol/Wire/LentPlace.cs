namespace QuickSilver.Protocol.Wire;

/// <summary>A packet's place in a segment.</summary>
/// <param name="Block">The block, from 0.</param>
/// <param name="Generation">How often the block had been used before: a packet of an earlier generation is
/// gone.</param>
/// <param name="Offset">Where the packet begins in the block.</param>
/// <param name="Length">The packet's length; 0: no packet is meant.</param>
public readonly record struct LentPlace(uint Block, uint Generation, int Offset, int Length);
