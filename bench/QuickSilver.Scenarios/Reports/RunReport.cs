using QuickSilver.Scenarios.Chaos;

namespace QuickSilver.Scenarios.Reports;

/// <summary>One run of one variant.</summary>
internal sealed record RunReport
{
    /// <summary>What ran, for example "quicksilver" or "raw, one datagram a call".</summary>
    public required string Variant { get; init; }

    /// <summary>Which repetition, from 1.</summary>
    public int Repetition { get; init; }

    /// <summary>Messages a second asked for; 0: full speed.</summary>
    public double OfferedRate { get; init; }

    public IReadOnlyList<ProcessReport> Processes { get; init; } = [];

    /// <summary>What is wrong with the run; empty when it is verified.</summary>
    public IReadOnlyList<string> Failures { get; init; } = [];

    /// <summary>Of <c>chaos</c>: what the logs show.</summary>
    public ChaosFindings? Chaos { get; init; }
}
