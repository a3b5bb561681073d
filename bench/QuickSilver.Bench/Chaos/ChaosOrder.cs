namespace QuickSilver.Bench.Chaos;

/// <summary>What a process of a chaos run is told beyond its <see cref="Roles.RoleOrder"/>.</summary>
internal sealed record ChaosOrder
{
    /// <summary>Which process of its node, from 1.</summary>
    public int Process { get; init; } = 1;

    /// <summary>The groups to join, by number.</summary>
    public IReadOnlyList<int> Groups { get; init; } = [];

    /// <summary>Messages a second to send; 0: none.</summary>
    public double SendRate { get; init; }

    /// <summary>Seed of the sender's choices.</summary>
    public ulong Seed { get; init; }

    /// <summary>Ports of its sockets: few, so that a process started again gets the same address.</summary>
    public string PortRange { get; init; } = "";

    /// <summary>Seconds of silence after which a node is removed; 0: the detector is off.</summary>
    public double FailureTimeout { get; init; }

    /// <summary>Where its log goes.</summary>
    public string LogFile { get; init; } = "";
}
