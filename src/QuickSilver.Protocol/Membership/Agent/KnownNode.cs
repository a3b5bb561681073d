namespace QuickSilver.Protocol.Membership.Agent;

/// <summary>A node that has been described to this one.</summary>
/// <param name="info">The node's description: the one instance that all views share.</param>
internal sealed class KnownNode(NodeInfo info)
{
    /// <summary>The node's description.</summary>
    public NodeInfo Info { get; } = info;

    /// <summary>The region that the node is in, as far as this node knows.</summary>
    public AgentRegion? Region { get; set; }

    /// <summary>The region of exactly the node's groups, known together with <see cref="Region"/>.</summary>
    public AgentRegion? Home { get; set; }

    /// <summary>Number of unretired views that name the node, as a member or as a publisher.</summary>
    public int Views { get; set; }
}
