namespace QuickSilver.Testing;

/// <summary>Switches faults on.</summary>
public static class FaultExtensions
{
    /// <summary>Makes a node started with these options drop some of what it receives. Never for production.</summary>
    /// <param name="options">The options of the node.</param>
    /// <param name="dropReceived">Share of received datagrams that is dropped, from 0 to 1.</param>
    /// <param name="seed">Seed of the choice.</param>
    /// <returns><paramref name="options"/>.</returns>
    public static QuickSilverOptions UseFaults(this QuickSilverOptions options, double dropReceived, ulong seed = 1) =>
        options.UseFaults(new FaultOptions { DropReceived = dropReceived, Seed = seed });

    /// <summary>Makes a node started with these options inflict faults on itself. Never for production.</summary>
    /// <returns><paramref name="options"/>.</returns>
    public static QuickSilverOptions UseFaults(this QuickSilverOptions options, FaultOptions faults)
    {
        ArgumentNullException.ThrowIfNull(options);
        ArgumentNullException.ThrowIfNull(faults);
        options.Faults = faults;
        return options;
    }
}
