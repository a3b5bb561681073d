namespace QuickSilver.Transport.Sharing;

/// <summary>Identifies a process, also after its number is reused.</summary>
/// <param name="Process">The number of the process.</param>
/// <param name="Start">The start of the process, in ticks since boot; 0 if it is unknown.</param>
internal readonly record struct ProcessMark(uint Process, ulong Start);
