using QuickSilver.Simulation.Tests.Planted.Breaking;
using QuickSilver.Simulation.Tests.Planted.Targeted;

namespace QuickSilver.Simulation.Tests.Planted.Defects;

/// <summary>Mistakes in what is sent once for several regions.</summary>
internal static class HybridDefects
{
    /// <summary>The mistakes.</summary>
    public static PlantedDefect[] All { get; } =
    [
        new(
            "HybridSequenceOfAnotherRegion",
            "A hybrid packet names the sequence of its first region for all of them.",
            nameof(SendingRuns.HybridGroup), 3, "E1", "V4", "D7", "D8")
        {
            Patches =
            [
                new(
                    "HybridPacker.cs",
                    "Sequence = part.Stream.Highest + 1,",
                    "Sequence = parts[0].Stream.Highest + 1,"),
            ],
        },
        new(
            "HybridHeaderOfAnotherRegion",
            "A member takes the header of another region in a hybrid packet for its own.",
            nameof(SendingRuns.HybridGroup), 3, "D1", "D4", "D5", "D7", "D8", "E2")
        {
            Patches =
            [
                new(
                    "HybridReader.cs",
                    "return TakeDerived(recovery, header, region, records, arrival, now);",
                    """
                    {
                        var again = new WireReader(regions);
                        HybridRegion first = HybridRegion.Read(ref again, header.HasPayloadChecksum);
                        return TakeDerived(recovery, header, first, records, arrival, now);
                    }
                    """),
            ],
        },
        new(
            "HybridPieceUnmarked",
            "Pieces of long messages lose their mark in hybrid packets.",
            nameof(SendingRuns.HybridGroup), 3, "D1", "D4", "D7", "D8", "D9", "E2")
        {
            Patches = [new("HybridPacker.cs", "message.IsPiece);", "false);")],
        },
        new(
            "HybridSpillForgotten",
            "Messages that wait for a hybrid packet when a region drops out are not sent to it.",
            nameof(SendingRuns.HybridGroup), 5, "D5", "D7", "R1")
        {
            Patches = [new("HybridSender.cs", "_queue.SpillTo(part);", string.Empty)],
        },
        new(
            "HybridCountersShared",
            "The parts of regions in a sealed hybrid packet take the counter of its text, which begins again.",
            nameof(SecurityRuns.SealedHybrids), 3, "K1")
        {
            Patches =
            [
                new("SharedSealing.cs", "ulong counter = ++lane.Counter;", "ulong counter = key.Counter;"),
            ],
        },
        new(
            "HybridReadAgain",
            "A sealed hybrid packet that was read before is read again.",
            nameof(SecurityRuns.SealedHybrids), 3, "K4")
        {
            Patches =
            [
                new("OpenedDatagram.cs", "SealLane.Data => false,", "SealLane.Data or SealLane.Hybrid => false,"),
            ],
        },
    ];
}
