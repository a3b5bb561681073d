namespace QuickSilver.Protocol.Membership.Server;

/// <summary>
/// What the server knows of one group, for as long as anything names it: message numbers of a group outlive its members' stays, and its mode is fixed.
/// </summary>
/// <param name="counter">Counter of its id.</param>
/// <param name="name">Its name.</param>
/// <param name="mode">Its mode.</param>
internal sealed class ServerGroup(uint counter, string name, byte mode)
{
    /// <summary>Counter of its id.</summary>
    public uint Counter { get; } = counter;

    /// <summary>Its name.</summary>
    public string Name { get; } = name;

    /// <summary>Its mode.</summary>
    public byte Mode { get; } = mode;

    /// <summary>What names it: regions with nodes or unretired views, joins that wait, views of a server before.</summary>
    public int Uses { get; set; }

    /// <summary>The node that first asked for it; its share of the table is used until the group is forgotten. Null when it was taken over.</summary>
    public ServerNode? Maker { get; init; }

    /// <summary>It was taken over from a server before: any node of that server's may have been in it.</summary>
    public bool IsInherited { get; set; }

    /// <summary>Nodes that have been in it, and perhaps others: their slots.</summary>
    public NodeBits Told { get; } = new();
}
