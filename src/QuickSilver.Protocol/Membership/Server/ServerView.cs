using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership.Server;

/// <summary>One region view, with what the server must know to retire it. See <see cref="ViewLedger"/>.</summary>
/// <param name="number">Its counter.</param>
/// <param name="region">Its region.</param>
/// <param name="firstStep">The step that brought it.</param>
/// <param name="members">Its members in ring order.</param>
internal sealed class ServerView(uint number, ServerRegion region, ulong firstStep, ServerNode[] members)
{
    /// <summary>Its counter.</summary>
    public uint Number { get; } = number;

    /// <summary>Its region.</summary>
    public ServerRegion Region { get; } = region;

    /// <summary>The step that brought it.</summary>
    public ulong FirstStep { get; } = firstStep;

    /// <summary>The step that ended it; 0 while it is current.</summary>
    public ulong EndStep { get; set; }

    /// <summary>Its members in ring order.</summary>
    public ServerNode[] Members { get; } = members;

    /// <summary>Indices of members of the region's view before it that are not in this one, rising.</summary>
    public required int[] RemovedIndices { get; init; }

    /// <summary>Where in <see cref="Members"/> those begin that the region's view before it did not have.</summary>
    public required int FirstAdded { get; init; }

    /// <summary>Its multicast address; none: unicast.</summary>
    public NetEndpoint Multicast { get; set; }

    /// <summary>The pool's index of <see cref="Multicast"/>; negative: none.</summary>
    public int AddressIndex { get; set; } = -1;

    /// <summary>Nodes that were ever permitted to send in it, and live. All of them know it.</summary>
    public NodeBits Permitted { get; } = new();

    /// <summary>Nodes permitted to send in it now, or when it ended.</summary>
    public NodeBits Sending { get; } = new();

    /// <summary>Nodes that were ever permitted, live, and are not done with it.</summary>
    public NodeBits Awaited { get; } = new();

    /// <summary>Live members that have not said that a removed sender's stream is closed at them, by the sender's key.</summary>
    public SortedDictionary<ulong, NodeBits> Open { get; } = [];

    /// <summary>The step in which a node lost its permission while the view was current, by the node's key.</summary>
    public Dictionary<ulong, ulong> LostIn { get; } = [];

    /// <summary>Nodes without whose word the view does not retire. For people: allocates.</summary>
    public NodeBits HeldBy()
    {
        var holders = new NodeBits();
        foreach (NodeBits waitedFor in (List<NodeBits>)[Awaited, .. Open.Values])
        {
            for (int slot = waitedFor.Next(0); slot >= 0; slot = waitedFor.Next(slot + 1)) holders.Add(slot);
        }
        return holders;
    }
}
