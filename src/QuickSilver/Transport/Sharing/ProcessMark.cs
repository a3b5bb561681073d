namespace QuickSilver.Transport.Sharing;

/// <summary>A process, and no other that is given its number later.</summary>
/// <param name="Process">Its number.</param>
/// <param name="Start">When it started, in ticks since boot; 0: not known.</param>
internal readonly record struct ProcessMark(uint Process, ulong Start);
