namespace QuickSilver.TestPrograms;

/// <summary>One region, and the groups that it is part of.</summary>
internal sealed record RegionReport(ulong Id, ulong View, string Carrier, int Members, IReadOnlyList<string> Groups);
