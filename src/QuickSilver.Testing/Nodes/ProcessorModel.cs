namespace QuickSilver.Testing.Nodes;

/// <summary>What a turn of the loop costs a node: while it lasts, the node does nothing else, and its datagrams wait in its sockets.</summary>
public sealed record ProcessorModel
{
    /// <summary>Cost of every turn.</summary>
    public TimeSpan PerTurn { get; init; } = TimeSpan.FromMicroseconds(3);

    /// <summary>Cost of each kilobyte (1,000 bytes) sent or read in the turn.</summary>
    public TimeSpan PerKilobyte { get; init; } = TimeSpan.FromMicroseconds(1);
}
