using QuickSilver.Protocol.Core;

namespace QuickSilver.Protocol.Sites.Overlay;

/// <summary>
/// The links that are up at one time, and the source tree of each site over them. Its version is a hash of the links
/// and costs: gateways that know the same links have the same version, and nobody needs to give it out. Trees are made
/// when they are asked for. Core thread only.
/// </summary>
internal sealed class Topology
{
    private readonly int _sites;
    private readonly uint[,] _costs;
    private readonly SourceTree?[] _trees;

    /// <summary>Makes a topology.</summary>
    /// <param name="sites">How many sites the configuration has.</param>
    /// <param name="configuration">Hash of the configuration.</param>
    /// <param name="edges">Links that are up, in any order.</param>
    public Topology(int sites, ulong configuration, IEnumerable<OverlayEdge> edges)
    {
        _sites = sites;
        _costs = new uint[sites, sites];
        _trees = new SourceTree[sites];
        foreach (OverlayEdge edge in edges)
            _costs[edge.First, edge.Second] = _costs[edge.Second, edge.First] = edge.Cost;
        ulong version = configuration;
        for (int first = 0; first < sites; first++)
        {
            for (int second = first + 1; second < sites; second++)
            {
                uint cost = _costs[first, second];
                if (cost > 0) version = SeededRandom.Mix(version + ((ulong)first << 48) + ((ulong)second << 40) + cost);
            }
        }
        Version = version;
    }

    /// <summary>Equal where the same links are known at the same costs.</summary>
    public ulong Version { get; }

    /// <summary>The tree of a site.</summary>
    public SourceTree TreeOf(int root) => _trees[root] ??= new SourceTree(root, _sites, _costs);
}
