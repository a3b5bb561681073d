namespace QuickSilver.Protocol.Wire;

/// <summary>
/// A half-open range of packets of one partition that a member misses, counted by their place within the partition.
/// Packet s of k partitions has place (s - 1) div k + 1.
/// </summary>
/// <param name="Start">First place.</param>
/// <param name="End">The place after the last.</param>
/// <param name="Requested">True when the member has requested the range already: it is missing, but no push is
/// needed.</param>
internal readonly record struct TokenRange(ulong Start, ulong End, bool Requested);
