using System.Text.Json.Serialization;
using QuickSilver.Bench;

namespace QuickSilver.TestPrograms;

/// <summary>What <see cref="MessageChecker"/> found.</summary>
internal sealed record CheckReport
{
    /// <summary>Messages that had to come; 0: any number.</summary>
    public long Expected { get; init; }

    public long Received { get; init; }

    public long Bytes { get; init; }

    /// <summary>Messages that the gaps left out.</summary>
    public long Missing { get; init; }

    public long Damaged { get; init; }

    public long WrongPublisher { get; init; }

    public long WrongGroup { get; init; }

    public long Gaps { get; init; }

    public long OutOfOrder { get; init; }

    /// <summary>The first fault in words.</summary>
    public string? FirstFault { get; init; }

    /// <summary>From the first message to the last.</summary>
    public double Seconds { get; init; }

    /// <summary>Messages a second in that time.</summary>
    public double Rate { get; init; }

    /// <summary>
    /// From the call that sent a message (with a rate: from the moment it was due) to its handler, in microseconds;
    /// null without generated messages.
    /// </summary>
    public LatencySummary? Latency { get; init; }

    /// <summary>By sender and group.</summary>
    public IReadOnlyList<StreamReport> Streams { get; init; } = [];

    /// <summary>No message was damaged, misdirected, missing or out of order.</summary>
    [JsonIgnore]
    public bool IsFaultless => Damaged + WrongPublisher + WrongGroup + Gaps + OutOfOrder == 0;
}
