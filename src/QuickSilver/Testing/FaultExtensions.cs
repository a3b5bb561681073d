namespace QuickSilver.Testing;

/// <summary>Fault injection for tests.</summary>
public static class FaultExtensions
{
    /// <summary>Makes a node that starts with these options drop a share of the datagrams it receives. Not for
    /// production.</summary>
    /// <param name="options">The options of the node.</param>
    /// <param name="dropReceived">Share of received datagrams to drop, from 0 to 1.</param>
    /// <param name="seed">Seed of the random choice.</param>
    /// <returns><paramref name="options"/>.</returns>
    public static QuickSilverOptions UseFaults(this QuickSilverOptions options, double dropReceived, ulong seed = 1) =>
        options.UseFaults(new FaultOptions { DropReceived = dropReceived, Seed = seed });

    /// <summary>Makes a node that starts with these options inject faults into itself. Not for production.</summary>
    /// <returns><paramref name="options"/>.</returns>
    public static QuickSilverOptions UseFaults(this QuickSilverOptions options, FaultOptions faults)
    {
        ArgumentNullException.ThrowIfNull(options);
        ArgumentNullException.ThrowIfNull(faults);
        options.Faults = faults;
        return options;
    }
}
