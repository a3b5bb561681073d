using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Lateral;

/// <summary>
/// Packets that the next repair will combine: their ids. The blocks are combined when the repair leaves, from the
/// cache. A bin is of one peer, or of the paper's plan with targets by region.
/// </summary>
internal sealed class RepairBin
{
    private readonly LateralId[] _ids = new LateralId[LateralIdList.MaxIds];

    /// <summary>The peer whose bin it is; null in the paper's plan.</summary>
    public NodeInfo? Peer { get; init; }

    /// <summary>The paper's targets: regions, and the mean number in each.</summary>
    public List<(int Region, double Mean)> Targets { get; init; } = [];

    /// <summary>Indexes of the groups whose packets it takes, rising; only in the paper's plan.</summary>
    public int[] Groups { get; init; } = [];

    /// <summary>For each of <see cref="Targets"/>, how many the next repair goes to.</summary>
    public int[] Drawn { get; set; } = [];

    /// <summary>Share of the next repair that the packets have paid for; at 1 it leaves.</summary>
    public double Credit { get; set; }

    /// <summary>Packets since the last repair, those included that are only counted.</summary>
    public int Seen { get; set; }

    /// <summary>True while it waits to be sent.</summary>
    public bool IsReady { get; set; }

    /// <summary>When it leaves at the latest, if the node may send; <see cref="Instant.Never"/>: it may wait.</summary>
    public Instant Due { get; set; } = Instant.Never;

    /// <summary>True while it is in the queue of those that leave when they are due.</summary>
    public bool IsWaiting { get; set; }

    /// <summary>All bins of the same packets, filled in turn; itself is the first. One, unless the node
    /// staggers.</summary>
    public RepairBin[] Lanes { get; set; } = [];

    /// <summary>Which of <see cref="Lanes"/> takes the next packet.</summary>
    public int Turn { get; set; }

    /// <summary>The packets.</summary>
    public Span<LateralId> Ids => _ids.AsSpan(0, Count);

    /// <summary>Number of packets.</summary>
    public int Count { get; private set; }

    /// <summary>True when no other packet is taken.</summary>
    public bool IsFull => Count == _ids.Length;

    /// <summary>Adds a packet, unless there is no room.</summary>
    public void Add(in LateralId id)
    {
        if (!IsFull) _ids[Count++] = id;
    }

    /// <summary>Takes out the first packets; the others begin the next repair.</summary>
    public void Clear(int packets)
    {
        Span<LateralId> left = Ids[packets..];
        left.CopyTo(_ids);
        Clear();
        Count = left.Length;
    }

    /// <summary>Empties the bin.</summary>
    public void Clear()
    {
        Count = 0;
        Seen = 0;
        IsReady = false;
        Due = Instant.Never;
    }
}
