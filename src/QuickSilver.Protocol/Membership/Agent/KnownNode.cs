namespace QuickSilver.Protocol.Membership.Agent;

/// <summary>A node that has been described to this one.</summary>
/// <param name="info">Its description: the one instance that all views share.</param>
internal sealed class KnownNode(NodeInfo info)
{
    /// <summary>Its description.</summary>
    public NodeInfo Info { get; } = info;

    /// <summary>The region it is in, as far as this node knows.</summary>
    public AgentRegion? Region { get; set; }

    /// <summary>Unretired views that name it.</summary>
    public int Views { get; set; }
}
