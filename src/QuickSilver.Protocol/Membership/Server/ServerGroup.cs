namespace QuickSilver.Protocol.Membership.Server;

/// <summary>
/// The server's record of one group, for as long as anything names it. Message numbers of a group outlive its members'
/// sessions, and its mode is fixed.
/// </summary>
/// <param name="counter">Counter of the group's id.</param>
/// <param name="name">The group's name.</param>
/// <param name="mode">The group's mode.</param>
internal sealed class ServerGroup(uint counter, string name, byte mode)
{
    /// <summary>Counter of the group's id.</summary>
    public uint Counter { get; } = counter;

    /// <summary>The group's name.</summary>
    public string Name { get; } = name;

    /// <summary>The group's mode.</summary>
    public byte Mode { get; } = mode;

    /// <summary>
    /// Number of references: regions with nodes or unretired views, joins that wait, views of a former server.
    /// </summary>
    public int Uses { get; set; }

    /// <summary>
    /// The node that first requested the group. It counts in that node's share of the table until the group is
    /// forgotten. Null when it was taken over.
    /// </summary>
    public ServerNode? Maker { get; init; }

    /// <summary>
    /// True when it was taken over from a former server: any node of that server may have been in it.
    /// </summary>
    public bool IsInherited { get; set; }

    /// <summary>Slots of the nodes that have been in it, and perhaps of others.</summary>
    public NodeBits Notified { get; } = new();
}
