using QuickSilver.Protocol.Core;

namespace QuickSilver.Protocol.Dissemination.Streams;

/// <summary>
/// How this node's streams have found members to be reachable, kept for later streams: a superseded view passes its
/// knowledge to the next one, with the pace of the probes. Holds members of the cluster only. Core thread only.
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

    /// <summary>Records that a member is carried by unicast.</summary>
    /// <returns>False when that was known.</returns>
    public bool Add(ulong member) => _copied.Add(member);

    /// <summary>Records that a member hears multicast, or is gone.</summary>
    /// <returns>False when it was not carried by unicast.</returns>
    public bool Remove(ulong member) => _copied.Remove(member);
}
