using QuickSilver.Protocol.Sites.Frames;

namespace QuickSilver.Protocol.Sites.Overlay;

/// <summary>
/// What each site has said of its links: the newest of each, and the topology that follows. A link counts as up when
/// both ends say so. The last eight topologies are kept, so packets that follow an older one still find their way.
/// Bounded by the number of sites.
/// </summary>
internal sealed class LinkStates(SiteMap map)
{
    private const int Kept = 8;

    private readonly SiteRecord?[] _records = new SiteRecord[map.Count];
    private readonly List<Topology> _topologies = [new Topology(map.Count, map.Hash, [])];

    /// <summary>The links that are up.</summary>
    public Topology Current => _topologies[^1];

    /// <summary>What a site has said last; null when nothing of it is known.</summary>
    public SiteRecord? Of(int site) => _records[site];

    /// <summary>A topology of late, by its version; null when it is not known.</summary>
    public Topology? Find(ulong version)
    {
        for (int index = _topologies.Count - 1; index >= 0; index--)
        {
            if (_topologies[index].Version == version) return _topologies[index];
        }
        return null;
    }

    /// <summary>True when a record is newer than what is known of its site.</summary>
    public bool IsNews(in LinkStateBody state) =>
        _records[state.Site] is not { } known || (state.Node, state.Number).CompareTo((known.Node, known.Number)) > 0;

    /// <summary>Takes a record that is news.</summary>
    /// <returns>True when the topology has changed.</returns>
    public bool Take(int site, SiteRecord record)
    {
        _records[site] = record;
        var topology = new Topology(map.Count, map.Hash, Edges());
        if (topology.Version == Current.Version) return false;
        _topologies.RemoveAll(old => old.Version == topology.Version);
        if (_topologies.Count == Kept) _topologies.RemoveAt(0);
        _topologies.Add(topology);
        return true;
    }

    /// <summary>Sites that may have members of a group, as far as is known.</summary>
    public SiteSet Members(uint group)
    {
        SiteSet sites = default;
        for (int site = 0; site < map.Count; site++)
        {
            if (_records[site] is { } record && record.Wants(group)) sites = sites.With(site);
        }
        return sites;
    }

    private List<OverlayEdge> Edges()
    {
        var edges = new List<OverlayEdge>();
        for (int site = 0; site < map.Count; site++)
        {
            if (_records[site] is not { } record) continue;
            foreach ((int peer, uint cost) in record.Links)
            {
                if (peer <= site || peer >= map.Count || !map.NeighboursOf(site).Contains(peer)) continue;
                uint back = CostAt(peer, site);
                if (back > 0) edges.Add(new OverlayEdge(site, peer, Math.Max(cost, back)));
            }
        }
        return edges;
    }

    private uint CostAt(int site, int peer)
    {
        if (_records[site] is not { } record) return 0;
        foreach ((int other, uint cost) in record.Links)
        {
            if (other == peer) return cost;
        }
        return 0;
    }
}
