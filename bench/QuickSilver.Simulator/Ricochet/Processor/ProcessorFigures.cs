namespace QuickSilver.Simulator.Ricochet.Processor;

/// <summary>Microseconds of processor time for each packet that arrives, by what they are spent on.</summary>
/// <param name="TakingPackets">Taking the packet, and its way into bins.</param>
/// <param name="TakingRepairs">Taking repairs, and solving them.</param>
/// <param name="BuildingRepairs">Building repairs.</param>
/// <param name="Sums">Packets added into repairs.</param>
/// <param name="Bins">Bins of a node.</param>
internal readonly record struct ProcessorFigures(
    double TakingPackets, double TakingRepairs, double BuildingRepairs, double Sums, ulong Bins)
{
    /// <summary>All of it.</summary>
    public double All => TakingPackets + TakingRepairs + BuildingRepairs;
}
