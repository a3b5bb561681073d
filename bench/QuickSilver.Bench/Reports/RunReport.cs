using QuickSilver.Bench.Chaos;
using QuickSilver.Bench.Runs;

namespace QuickSilver.Bench.Reports;

/// <summary>One run of one variant.</summary>
internal sealed record RunReport
{
    /// <summary>What ran, for example "quicksilver" or "raw, one datagram a call".</summary>
    public required string Variant { get; init; }

    /// <summary>Which repetition, from 1.</summary>
    public int Repetition { get; init; }

    /// <summary>In which setting, where a scenario has several.</summary>
    public string? Setting { get; init; }

    /// <summary>Why there are no findings, of a system that is not this project's; null when there are.</summary>
    public string? Skipped { get; init; }

    /// <summary>Messages a second asked for; 0: full speed.</summary>
    public double OfferedRate { get; init; }

    public IReadOnlyList<ProcessReport> Processes { get; init; } = [];

    /// <summary>Bytes that all processes put on the network from the first message of the run to its last; null where
    /// nobody looked.</summary>
    public long? WireBytes { get; init; }

    /// <summary>Processor time of a broker in the same time, in seconds; null without one.</summary>
    public double? BrokerCpuSeconds { get; init; }

    /// <summary>How far apart the processors were, of a run at full speed; null where that was not sampled.</summary>
    public DistanceReport? Distance { get; init; }

    /// <summary>What is wrong with the run; empty when it is verified.</summary>
    public IReadOnlyList<string> Failures { get; init; } = [];

    /// <summary>Why the sender did not keep the rate asked for; null when it did.</summary>
    public string? RateNotKept { get; init; }

    /// <summary>Of <c>disturb</c>: what the curves come to.</summary>
    public DisturbanceReport? Disturbance { get; init; }

    /// <summary>Of <c>chaos</c>: what the logs show.</summary>
    public ChaosFindings? Chaos { get; init; }
}
