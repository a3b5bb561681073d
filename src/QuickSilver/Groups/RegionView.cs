namespace QuickSilver;

/// <summary>One region view of a group: the members with one same set of groups, or with similar sets if regions are
/// merged, and the transport that reaches them.</summary>
/// <param name="Id">Number of the region.</param>
/// <param name="Number">Number of the view.</param>
/// <param name="Carrier">The transport that carries packets to the region.</param>
/// <param name="Address">Multicast address and port; empty for other transports.</param>
/// <param name="MemberCount">Members of the group in it.</param>
/// <param name="FilteringCount">Its other members. They receive, hold and pass on the group's packets, and drop the
/// messages. 0, unless the membership server has merged regions.</param>
public sealed record RegionView(
    ulong Id, ulong Number, Carrier Carrier, string Address, int MemberCount, int FilteringCount);
