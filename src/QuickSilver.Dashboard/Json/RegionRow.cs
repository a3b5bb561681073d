namespace QuickSilver.Dashboard.Json;

/// <summary>A region over all nodes that report it, or as one node sees it.</summary>
/// <param name="Number">Its number.</param>
/// <param name="View">Number of its view.</param>
/// <param name="Members">Number of members.</param>
/// <param name="Groups">Number of groups that it belongs to.</param>
/// <param name="TokenMs">Token round trip in milliseconds; 0 while it is not known.</param>
/// <param name="Rate">Packets a second sent there.</param>
/// <param name="RateLimit">Packets a second that the most limited sender may send; 0 without a sender.</param>
internal sealed record RegionRow(
    ulong Number, ulong View, int Members, int Groups, double TokenMs, double Rate, double RateLimit);
