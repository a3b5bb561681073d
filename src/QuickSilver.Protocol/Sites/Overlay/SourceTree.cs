using System.Diagnostics;

namespace QuickSilver.Protocol.Sites.Overlay;

/// <summary>
/// The shortest ways from one site to all that can be reached. Ties are broken by rule: the lesser cost, then the fewer
/// links, then the lower index of the site before. So every gateway that has the same links makes the same tree.
/// Immutable.
/// </summary>
internal sealed class SourceTree
{
    private const int None = -1;

    private readonly int[] _parents;
    private readonly SiteSet[] _below;
    private readonly int[][] _children;

    /// <summary>Makes the tree.</summary>
    /// <param name="root">The site at its root.</param>
    /// <param name="sites">How many sites the configuration has.</param>
    /// <param name="costs">Cost of each link by its two sites, 0 where there is none.</param>
    public SourceTree(int root, int sites, uint[,] costs)
    {
        Root = root;
        _parents = new int[sites];
        _below = new SiteSet[sites];
        _children = new int[sites][];
        int[] order = Walk(costs);
        for (int index = order.Length - 1; index >= 0; index--)
        {
            int site = order[index];
            _below[site] = _below[site].With(site);
            if (_parents[site] != None) _below[_parents[site]] |= _below[site];
        }
        for (int site = 0; site < sites; site++)
            _children[site] = [.. Enumerable.Range(0, sites).Where(child => _parents[child] == site)];
    }

    /// <summary>The site at its root.</summary>
    public int Root { get; }

    /// <summary>The sites that are in it.</summary>
    public SiteSet Sites => _below[Root];

    /// <summary>The site before another; negative for the root, and for a site that cannot be reached.</summary>
    public int ParentOf(int site) => _parents[site];

    /// <summary>The sites behind a site, ascending.</summary>
    public ReadOnlySpan<int> ChildrenOf(int site) => _children[site];

    /// <summary>A site, and all that are reached through it; empty when it cannot be reached.</summary>
    public SiteSet Below(int site) => _below[site];

    // Dijkstra over an array: there are at most 128 sites, and trees are made when links come or fail.
    private int[] Walk(uint[,] costs)
    {
        int sites = _parents.Length;
        var distance = new ulong[sites];
        var links = new int[sites];
        var isDone = new bool[sites];
        Array.Fill(distance, ulong.MaxValue);
        Array.Fill(_parents, None);
        distance[Root] = 0;
        var order = new List<int>(sites);
        while (true)
        {
            int next = None;
            for (int site = 0; site < sites; site++)
            {
                if (isDone[site] || distance[site] == ulong.MaxValue) continue;
                (ulong, int, int) key = (distance[site], links[site], site);
                if (next == None || key.CompareTo((distance[next], links[next], next)) < 0) next = site;
            }
            if (next == None) return [.. order];
            isDone[next] = true;
            order.Add(next);
            for (int site = 0; site < sites; site++)
            {
                uint cost = costs[next, site];
                Debug.Assert(cost == costs[site, next], "a link costs the same both ways");
                if (cost == 0 || isDone[site]) continue;
                (ulong, int, int) found = (distance[next] + cost, links[next] + 1, next);
                if (found.CompareTo((distance[site], links[site], _parents[site])) >= 0) continue;
                (distance[site], links[site], _parents[site]) = found;
            }
        }
    }
}
