namespace QuickSilver.Testing;

/// <summary>Fault injection for tests.</summary>
public static class FaultExtensions
{
    /// <summary>Makes a node that starts with these options drop a share of the datagrams it receives. Not for
    /// production.</summary>
    /// <param name="options">The options of the node.</param>
    /// <param name="dropReceived">Share of received datagrams to drop, from 0 to 1.</param>
    /// <param name="seed">Seed of the random choice. The same seed drops the same positions in a node's sequence of
    /// datagrams.</param>
    /// <returns><paramref name="options"/>.</returns>
    public static QuickSilverOptions UseFaults(this QuickSilverOptions options, double dropReceived, ulong seed = 1)
    {
        ArgumentNullException.ThrowIfNull(options);
        options.Faults = new FaultOptions { DropReceived = dropReceived, Seed = seed };
        return options;
    }
}
