using QuickSilver.Simulation.Tests.Planted.Breaking;

namespace QuickSilver.Simulation.Tests.Planted.Defects;

/// <summary>Mistakes in ordered groups.</summary>
internal static class OrderedDefects
{
    /// <summary>The mistakes.</summary>
    public static PlantedDefect[] All { get; } =
    [
        new(
            "SafeDeliveredAsAgreed",
            "A safe message is delivered before all members hold it.",
            PlantedPlace.Ordered, 40, "O3")
        {
            Patches =
            [
                new("RingDelivery.cs", "record.IsSafe && record.IsLast", "record.IsSafe && !record.IsLast"),
            ],
        },
        new(
            "HolePassedOver",
            "A member delivers what is behind a hole before the hole is filled.",
            PlantedPlace.Ordered, 40, "O1", "O2", "O4", "D1", "D2", "D5", "L3")
        {
            Patches =
            [
                new(
                    "RingDelivery.cs",
                    "while (ring.Log.Keeps(Next))",
                    "if (!ring.Log.Keeps(Next) && ring.Log.Keeps(Next + 1)) Next++;\nwhile (ring.Log.Keeps(Next))"),
            ],
        },
    ];
}
