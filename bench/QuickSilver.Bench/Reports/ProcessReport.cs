using QuickSilver.Bench.Longs;
using QuickSilver.Bench.Modes;
using QuickSilver.Bench.Overlaps;
using QuickSilver.Bench.Traffic;

namespace QuickSilver.Bench.Reports;

/// <summary>What one process of a run did. Counts are of the whole run; rate, latency, processor time and allocations
/// of its measured part.</summary>
internal sealed record ProcessReport
{
    public required string Process { get; init; }

    public required string Role { get; init; }

    public long Sent { get; init; }

    public long Delivered { get; init; }

    public long Lost { get; init; }

    public long OutOfOrder { get; init; }

    /// <summary>Of the wrong length, or in the wrong group.</summary>
    public long Damaged { get; init; }

    /// <summary>Messages of the measured part.</summary>
    public long Measured { get; init; }

    public double MeasuredSeconds { get; init; }

    /// <summary>Measured messages a second.</summary>
    public double Rate { get; init; }

    /// <summary>Microseconds from the sender's call (at a fixed rate: from the instant the message was due) to the
    /// handler.</summary>
    public LatencySummary? Latency { get; init; }

    /// <summary>Of a sender with a fixed rate: how late it sent, in microseconds. It is part of the receivers'
    /// latency.</summary>
    public LatencySummary? Lateness { get; init; }

    /// <summary>Of a sender on another host than its receivers: by receiver, half of a round trip in
    /// microseconds.</summary>
    public IReadOnlyList<LatencySummary?>? Echoes { get; init; }

    public double CpuSeconds { get; init; }

    public long AllocatedBytes { get; init; }

    public long PeakMemoryBytes { get; init; }

    /// <summary>Resident set when the process reported; 0 where nobody looked.</summary>
    public long ResidentBytes { get; init; }

    /// <summary>The node's longest turn until it had joined.</summary>
    public double LongestJoinTurnMillis { get; init; }

    /// <summary>Of a raw sender: times that feedback stopped.</summary>
    public long Stalls { get; init; }

    /// <summary>Smoothed duration of token rounds that this process led; 0 when it led none.</summary>
    public double TokenRoundTripMicros { get; init; }

    public long RepairsFromPeers { get; init; }

    public long RepairsFromSenders { get; init; }

    public long RepairsGiven { get; init; }

    /// <summary>All of a node's figures at the end; null for the raw loops.</summary>
    public NodeStatistics? Statistics { get; init; }

    /// <summary>What it held, second by second; null where nobody noted it.</summary>
    public IReadOnlyList<MemorySample>? Memory { get; init; }

    /// <summary>Full collections forced on it.</summary>
    public int ForcedCollections { get; init; }

    /// <summary>The longest of them.</summary>
    public double LongestCollectionMillis { get; init; }

    /// <summary>How far a receiver was, all along; null where nobody noted it.</summary>
    public IReadOnlyList<ProgressSample>? Progress { get; init; }

    /// <summary>What the node did in the measured part, for <c>idle</c>.</summary>
    public IdleReport? Idle { get; init; }

    /// <summary>How the member came in, for <c>herd</c>.</summary>
    public HerdReport? Herd { get; init; }

    /// <summary>How the member lived, for <c>starts</c>.</summary>
    public StartsReport? Starts { get; init; }

    /// <summary>How the member came in and saw another die, for <c>joins</c>.</summary>
    public JoinsReport? Joins { get; init; }

    /// <summary>What many groups cost a node alone, for <c>joins</c>.</summary>
    public JoinsAloneReport? Alone { get; init; }

    /// <summary>What it did in the groups of each mode, for <c>modes</c>.</summary>
    public IReadOnlyList<ModeReport>? Modes { get; init; }

    /// <summary>What a long message took, for <c>long</c>.</summary>
    public LongReport? Long { get; init; }

    /// <summary>What the process's nodes did in all groups, for <c>overlap</c>.</summary>
    public OverlapReport? Overlap { get; init; }

    /// <summary>Messages sent in each bin of the run, for <c>disturb</c>.</summary>
    public IReadOnlyList<long>? SentBins { get; init; }

    /// <summary>Messages delivered in each bin of the run, for <c>disturb</c>.</summary>
    public IReadOnlyList<long>? DeliveredBins { get; init; }

    /// <summary>Adds what was noted of memory; null: nothing was.</summary>
    public ProcessReport With(MemoryLog? memory) => memory is null ? this : this with
    {
        Memory = memory.Samples,
        ForcedCollections = memory.Collections,
        LongestCollectionMillis = memory.LongestCollection.TotalMilliseconds,
    };

    /// <summary>Adds what the node says of itself.</summary>
    public ProcessReport With(NodeStatistics statistics) => this with
    {
        TokenRoundTripMicros = statistics.TokenRoundTrip.TotalMicroseconds,
        RepairsFromPeers = statistics.RepairsFromPeers,
        RepairsFromSenders = statistics.RepairsFromSenders,
        RepairsGiven = statistics.RepairsGiven,
        Statistics = statistics,
    };
}
