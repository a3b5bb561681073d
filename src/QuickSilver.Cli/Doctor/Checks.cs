namespace QuickSilver.Cli.Doctor;

/// <summary>All checks, in the order in which they are told.</summary>
internal static class Checks
{
    /// <summary>The checks.</summary>
    public static IReadOnlyList<ICheck> All { get; } =
    [
        new StartCheck(),
        new KeyCheck(),
        new OtherClusterCheck(),
        new PortCheck(),
        new MulticastCheck(),
        new DatagramCheck(),
        new SitesCheck(),
        new BufferCheck(),
        new DescriptorCheck(),
        new SharedMemoryCheck(),
        new ClockCheck(),
    ];
}
