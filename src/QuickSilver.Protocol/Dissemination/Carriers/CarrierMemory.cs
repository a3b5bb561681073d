using QuickSilver.Protocol.Core;

namespace QuickSilver.Protocol.Dissemination.Carriers;

/// <summary>
/// What this node's streams have learnt of how members are reached, kept for streams to come: a view that is superseded leaves its knowledge to the
/// next one, with the pace of the probes. Holds members of the cluster only. Core thread only.
/// </summary>
internal sealed class CarrierMemory
{
    private readonly HashSet<ulong> _copied = [];

    /// <summary>The pause after which members are probed again.</summary>
    public TimeSpan Pause { get; set; }

    /// <summary>When the next probes are due.</summary>
    public Instant ProbesDue { get; set; }

    /// <summary>When a member was last found to hear multicast again; zero: never.</summary>
    public Instant LastReturn { get; set; }

    /// <summary>True for a member that was last carried by unicast.</summary>
    public bool IsCopied(ulong member) => _copied.Contains(member);

    /// <summary>A member is carried by unicast.</summary>
    /// <returns>False when that is known.</returns>
    public bool Add(ulong member) => _copied.Add(member);

    /// <summary>A member hears multicast, or is gone.</summary>
    /// <returns>False when nothing else was known.</returns>
    public bool Remove(ulong member) => _copied.Remove(member);
}
