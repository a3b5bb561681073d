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
            "TransitionUntold",
            "Between two rings a safe message is delivered as if all of the ring held it.",
            PlantedPlace.Ordered, 40, "O7")
        {
            Patches = [new("RingDelivery.cs", "=> _transition!.Tell(group, now);", "=> group.KnowTransitionOf(ring);")],
        },
        new(
            "StabilityUntold",
            "Members that go on together do not tell each other what all of the ring hold.",
            PlantedPlace.Ordered, 40, "O5")
        {
            Patches = [new("EndedRing.cs", "report.Stable > stable", "report.Stable > ulong.MaxValue - 1")],
        },
        new(
            "NotInGroupsBehind",
            "A message to several groups goes to none behind one that the node is not in.",
            PlantedPlace.Ordered, 60, "O8", "D1", "D2", "D5", "D6", "D7", "L3")
        {
            Patches =
            [
                new("RingDelivery.cs", "packet) is not { } group) continue;", "packet) is not { } group) break;"),
            ],
        },
        new(
            "HolePassedOver",
            "A member delivers what is behind a hole before the hole is filled.",
            PlantedPlace.Ordered, 40, "O1", "O2", "O4", "D1", "D2", "D5", "D9", "L3")
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
