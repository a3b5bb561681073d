using QuickSilver.Testing.Faults;
using QuickSilver.Testing.Nodes;

namespace QuickSilver.Testing.Disturbances;

/// <summary>
/// A disturbance as the papers made them: senders that send as fast as they may to one group of all nodes, a quiet
/// stretch, then faults, and time to recover. Everything is data; the same spec and seed give the same curve.
/// </summary>
internal sealed record DisturbanceSpec
{
    /// <summary>Its name.</summary>
    public required string Name { get; init; }

    /// <summary>What the papers did and saw.</summary>
    public required string Paper { get; init; }

    /// <summary>Nodes; all are in the group. Node 0 is the first sender.</summary>
    public int Nodes { get; init; } = 110;

    /// <summary>How many nodes send.</summary>
    public int Senders { get; init; } = 1;

    /// <summary>Each sender's highest rate, in messages a second; 0: as fast as it can.</summary>
    public int Rate { get; init; } = 8000;

    /// <summary>Size of the messages.</summary>
    public int MessageBytes { get; init; } = 1000;

    /// <summary>Length of the run, counted from the first message.</summary>
    public TimeSpan Duration { get; init; } = TimeSpan.FromSeconds(40);

    /// <summary>Where the undisturbed stretch begins that the rest is compared with; what was before is warming
    /// up.</summary>
    public TimeSpan CalmFrom { get; init; } = TimeSpan.FromSeconds(3);

    /// <summary>Where the disturbed stretch begins, counted from the first message.</summary>
    public TimeSpan DisturbedFrom { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>Where it ends; by then the cluster has to have recovered.</summary>
    public TimeSpan DisturbedUntil { get; init; } = TimeSpan.FromSeconds(40);

    /// <summary>The node that is disturbed; also the curve's second receiver.</summary>
    public int Victim { get; init; } = 1;

    /// <summary>An undisturbed receiver, for the curve. In a cluster that has no such node it is the last.</summary>
    public int Witness { get; init; } = 55;

    /// <summary>The fewest nodes: the senders, the victim, and a witness behind them.</summary>
    public int LeastNodes => Math.Max(Senders, Victim + 1) + 1;

    /// <summary>The faults, with times counted from the first message.</summary>
    public IReadOnlyList<Fault> Faults { get; init; } = [];

    /// <summary>After so long a silence a node is removed; infinite: never.</summary>
    public TimeSpan FailureTimeout { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>What work costs.</summary>
    public ProcessorModel Processor { get; init; } = ProcessorModel.Papers;

    /// <summary>Which pauses there are.</summary>
    public MemoryModel Memory { get; init; } = MemoryModel.Papers;

    /// <summary>Width of the curve's bins.</summary>
    public TimeSpan Bin { get; init; } = TimeSpan.FromMilliseconds(200);

    /// <summary>Decides everything random.</summary>
    public ulong Seed { get; init; } = 1;
}
