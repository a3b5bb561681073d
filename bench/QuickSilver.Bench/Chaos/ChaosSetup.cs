using QuickSilver.Bench.Roles;

namespace QuickSilver.Bench.Chaos;

/// <summary>What a chaos run is told.</summary>
internal sealed record ChaosSetup
{
    public required ulong Seed { get; init; }

    public int Nodes { get; init; } = 10;

    public int Groups { get; init; } = 50;

    public int Senders { get; init; } = 3;

    /// <summary>Messages a second of each sender.</summary>
    public double Rate { get; init; } = 300;

    /// <summary>Seconds of faults.</summary>
    public double Seconds { get; init; } = 60;

    /// <summary>Seconds of silence after which a node is removed.</summary>
    public double FailureTimeout { get; init; } = 2;

    /// <summary>Seconds beyond the failure timeout within which all must be well again.</summary>
    public double Recovery { get; init; } = 5;

    /// <summary>Share of received datagrams that every node drops.</summary>
    public double Drop { get; init; }

    public TransportKind Transport { get; init; }

    /// <summary>What protects the nodes.</summary>
    public RunSecurity Security { get; init; }

    /// <summary>Where the logs go.</summary>
    public required string Directory { get; init; }
}
