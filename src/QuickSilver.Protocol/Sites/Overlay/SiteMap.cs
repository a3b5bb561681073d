using System.Text;
using QuickSilver.Protocol.Core;

namespace QuickSilver.Protocol.Sites.Overlay;

/// <summary>
/// The configured sites and links. A site's index is its place among the names in ordinal order, so gateways that read
/// the same configuration in another order agree on all indices, and on <see cref="Hash"/>. Immutable.
/// </summary>
internal sealed class SiteMap
{
    private const ulong HashSeed = 0x51_53_69_74_65_73_01;

    private readonly string[] _names;
    private readonly Dictionary<(int First, int Second), uint> _costs = [];
    private readonly HashSet<(int First, int Second)> _streams = [];
    private readonly SiteSet[] _neighbours;

    /// <summary>Makes a map.</summary>
    /// <param name="sites">Names of sites, in any order.</param>
    /// <param name="links">Links, in any order, each once.</param>
    /// <param name="name">Name of the whole, which is in <see cref="Hash"/>.</param>
    /// <exception cref="ArgumentException">No site, too many, a name that is empty or taken twice; a link to a site
    /// that is not named, to itself, or given twice.</exception>
    public SiteMap(IEnumerable<string> sites, IEnumerable<SiteLink> links, string name = "")
    {
        _names = [.. sites.Order(StringComparer.Ordinal)];
        if (_names.Length is 0 or > SiteSet.MostSites)
            throw new ArgumentException($"There are {_names.Length} sites; 1 to {SiteSet.MostSites} may be.");
        for (int index = 0; index < _names.Length; index++)
        {
            if (_names[index].Length == 0) throw new ArgumentException("A site has no name.");
            if (index > 0 && _names[index] == _names[index - 1])
                throw new ArgumentException($"The name '{_names[index]}' is that of two sites.");
        }
        _neighbours = new SiteSet[_names.Length];
        foreach (SiteLink link in links) Add(link);
        Hash = MakeHash(name);
    }

    /// <summary>How many sites there are.</summary>
    public int Count => _names.Length;

    /// <summary>All sites.</summary>
    public SiteSet All
    {
        get
        {
            SiteSet all = default;
            for (int site = 0; site < Count; site++) all = all.With(site);
            return all;
        }
    }

    /// <summary>Equal at all gateways that have the same sites and links.</summary>
    public ulong Hash { get; }

    /// <summary>Name of a site.</summary>
    public string NameOf(int site) => _names[site];

    /// <summary>Index of a site.</summary>
    /// <exception cref="ArgumentException">No site has the name.</exception>
    public int IndexOf(string name)
    {
        int index = Array.BinarySearch(_names, name, StringComparer.Ordinal);
        return index >= 0 ? index : throw new ArgumentException($"No site has the name '{name}'.");
    }

    /// <summary>Sites to which a site has links.</summary>
    public SiteSet NeighboursOf(int site) => _neighbours[site];

    /// <summary>The configured cost of a link; 0 when it is measured.</summary>
    public uint CostOf(int first, int second) => _costs[Pair(first, second)];

    /// <summary>True when a connection carries a link.</summary>
    public bool IsStream(int first, int second) => _streams.Contains(Pair(first, second));

    private static (int First, int Second) Pair(int first, int second) =>
        first < second ? (first, second) : (second, first);

    private void Add(SiteLink link)
    {
        int first = IndexOf(link.First), second = IndexOf(link.Second);
        if (first == second) throw new ArgumentException($"A link leads from '{link.First}' to itself.");
        if (!_costs.TryAdd(Pair(first, second), link.Cost))
            throw new ArgumentException($"The link from '{link.First}' to '{link.Second}' is given twice.");
        if (link.IsStream) _streams.Add(Pair(first, second));
        _neighbours[first] = _neighbours[first].With(second);
        _neighbours[second] = _neighbours[second].With(first);
    }

    private ulong MakeHash(string whole)
    {
        ulong hash = HashSeed;
        foreach (byte value in Encoding.UTF8.GetBytes(whole)) hash = SeededRandom.Mix(hash + value + 1);
        foreach (string name in _names)
        {
            foreach (byte value in Encoding.UTF8.GetBytes(name)) hash = SeededRandom.Mix(hash + value + 1);
            hash = SeededRandom.Mix(hash);
        }
        for (int first = 0; first < Count; first++)
        {
            for (int second = first + 1; second < Count; second++)
            {
                if (!_costs.TryGetValue((first, second), out uint cost)) continue;
                // Links by datagrams count as they did before there were others.
                ulong stream = IsStream(first, second) ? 1UL << 32 : 0;
                hash = SeededRandom.Mix(hash + ((ulong)first << 48) + ((ulong)second << 40) + stream + cost);
            }
        }
        return hash;
    }
}
