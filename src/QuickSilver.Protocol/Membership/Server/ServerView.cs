using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership.Server;

/// <summary>One region view, with the server's record for its retirement. See <see cref="ViewLedger"/>.</summary>
/// <param name="number">The view's counter.</param>
/// <param name="region">The view's region.</param>
/// <param name="firstStep">The step with which it begins.</param>
/// <param name="members">The view's members in ring order.</param>
internal sealed class ServerView(uint number, ServerRegion region, ulong firstStep, ServerNode[] members)
{
    /// <summary>The view's counter.</summary>
    public uint Number { get; } = number;

    /// <summary>The view's region.</summary>
    public ServerRegion Region { get; } = region;

    /// <summary>The step with which it begins.</summary>
    public ulong FirstStep { get; } = firstStep;

    /// <summary>The step that ended it; 0 while it is current.</summary>
    public ulong EndStep { get; set; }

    /// <summary>The view's members in ring order.</summary>
    public ServerNode[] Members { get; } = members;

    /// <summary>The home of each member; null when it is the view's region for all of them.</summary>
    public required ServerRegion[]? Homes { get; init; }

    /// <summary>Indices in the region's previous view of members that are not in this one, rising.</summary>
    public required int[] RemovedIndices { get; init; }

    /// <summary>Index in <see cref="Members"/> of the first that the region's previous view did not have.</summary>
    public required int FirstAdded { get; init; }

    /// <summary>The view's secret; null when the cluster is not secured.</summary>
    public byte[]? Secret { get; init; }

    /// <summary>
    /// The cipher of its keys: the preferred one of those that all have that were ever permitted to send in it. None
    /// when the cluster is not secured.
    /// </summary>
    public SealCipher Cipher { get; set; }

    /// <summary>When it was made.</summary>
    public Instant Made { get; set; }

    /// <summary>The version of the protocol in the view: all nodes that may send in it speak it.</summary>
    public byte Version { get; set; }

    /// <summary>The view's multicast address; none: unicast.</summary>
    public NetEndpoint Multicast { get; set; }

    /// <summary>The pool's index of <see cref="Multicast"/>; negative: none.</summary>
    public int AddressIndex { get; set; } = -1;

    /// <summary>Live nodes that were ever permitted to send in it. All of them know it.</summary>
    public NodeBits Permitted { get; } = new();

    /// <summary>Nodes permitted to send in it now, or when it ended.</summary>
    public NodeBits Sending { get; } = new();

    /// <summary>Live nodes that were ever permitted to send in it and are not done with it.</summary>
    public NodeBits Awaited { get; } = new();

    /// <summary>By the key of a removed sender: live members that have not reported its stream as closed.</summary>
    public SortedDictionary<ulong, NodeBits> Open { get; } = [];

    /// <summary>By a node's key: the step in which it lost its permission while the view was current.</summary>
    public Dictionary<ulong, ulong> LostIn { get; } = [];

    /// <summary>Nodes that the view waits for to retire. For diagnostics: allocates.</summary>
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
