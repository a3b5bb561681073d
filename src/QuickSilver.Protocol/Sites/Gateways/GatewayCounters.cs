using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Sites.Gateways;

/// <summary>What a gateway has done.</summary>
internal sealed class GatewayCounters
{
    /// <summary>Records delivered here.</summary>
    public ulong Delivered { get; set; }

    /// <summary>Copies of records that were here before.</summary>
    public ulong Duplicates { get; set; }

    /// <summary>Numbers that will never come.</summary>
    public ulong Lost { get; set; }

    /// <summary>Numbers that were not for this site: it had no members of their group.</summary>
    public ulong Passed { get; set; }

    /// <summary>Records that took another way than their tree: its version is unknown, or a link of it has failed.
    /// </summary>
    public ulong Rerouted { get; set; }

    /// <summary>Records that were dropped for some of their sites: no way leads there, or they took too many links.
    /// </summary>
    public ulong Stranded { get; set; }

    /// <summary>Records that their sender sent again, because a stream stood or a site came.</summary>
    public ulong Repaired { get; set; }

    /// <summary>Records that were dropped, by reason.</summary>
    public RejectCounters Rejects { get; } = new();
}
