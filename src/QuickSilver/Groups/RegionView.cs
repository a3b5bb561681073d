namespace QuickSilver;

/// <summary>One of the region views that make up a group: the members that have the same set of groups, and how data reaches them.</summary>
/// <param name="Id">Number of the region.</param>
/// <param name="Number">Number of the view.</param>
/// <param name="Carrier">How data travels to it.</param>
/// <param name="Address">Multicast address and port; empty for other carriers.</param>
/// <param name="MemberCount">How many members it has.</param>
public sealed record RegionView(ulong Id, ulong Number, Carrier Carrier, string Address, int MemberCount);
