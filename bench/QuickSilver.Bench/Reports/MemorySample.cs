namespace QuickSilver.Bench.Reports;

/// <summary>What a process held at an instant.</summary>
/// <param name="Seconds">Since it began to note it.</param>
/// <param name="ResidentBytes">Resident set, after a collection where one was forced.</param>
/// <param name="HeapBytes">Managed heap, likewise.</param>
internal sealed record MemorySample(double Seconds, long ResidentBytes, long HeapBytes);
