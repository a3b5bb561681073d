namespace QuickSilver.Protocol.Membership.Server;

/// <summary>
/// Homes that share a carrier: the region of all groups of any of them. One home alone is carried by itself. Written by
/// <see cref="RegionMerger"/>.
/// </summary>
/// <param name="number">The bundle's number: the order in which bundles were made.</param>
internal sealed class RegionBundle(uint number)
{
    /// <summary>The bundle's number.</summary>
    public uint Number { get; } = number;

    /// <summary>Its homes, in the order in which they came.</summary>
    public List<ServerRegion> Homes { get; } = [];

    /// <summary>Counters of the groups of any of its homes, rising.</summary>
    public uint[] Groups { get; set; } = [];

    /// <summary>The region that carries the homes' residents; null before the first plan.</summary>
    public ServerRegion? Carrier { get; set; }

    /// <summary>Number of the homes' residents.</summary>
    public int Population { get; set; }

    /// <summary>True when homes or residents have changed since the last plan.</summary>
    public bool IsChanged { get; set; }

    /// <summary>Rises with each change of its groups or population.</summary>
    public uint Version { get; set; }

    /// <summary>The best partner to merge with, as far as it was looked for; null: none.</summary>
    public MergePrice? Best { get; set; }

    /// <summary>True when the carrier may not get a further view.</summary>
    public bool IsAtLimit => Carrier is { IsAtLimit: true };

    /// <summary>
    /// Pairs of a resident and a group of the bundle that it is not in: what the residents filter if each group sends
    /// one message. O(homes).
    /// </summary>
    public long Filtered
    {
        get
        {
            long filtered = 0;
            foreach (ServerRegion home in Homes)
                filtered += (long)home.Residents.Count * (Groups.Length - home.Groups.Length);
            return filtered;
        }
    }
}
