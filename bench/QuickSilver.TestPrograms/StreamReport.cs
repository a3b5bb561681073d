namespace QuickSilver.TestPrograms;

/// <summary>What came from one sender in one group: sequences of the first and the latest message, and how many there
/// were.</summary>
internal sealed record StreamReport(string Sender, string Group, ulong First, ulong Last, long Count, long Bytes);
