using QuickSilver.Simulation.Tests.Planted.Breaking;
using QuickSilver.Simulation.Tests.Planted.Targeted;

namespace QuickSilver.Simulation.Tests.Planted.Defects;

/// <summary>Mistakes in the treatment of nodes that send to a group without being members.</summary>
internal static class PublisherDefects
{
    /// <summary>The mistakes.</summary>
    public static PlantedDefect[] All { get; } =
    [
        new(
            "PublisherNotAwaited",
            "A join does not wait for nodes that only publish.",
            nameof(MembershipRuns.LatePublisher), 2, "D9")
        {
            Patches =
            [
                new(
                    "StepMaker.cs",
                    "made.ToSwitch.Add(node.Slot);",
                    "if (node.Region is not null) made.ToSwitch.Add(node.Slot);"),
            ],
        },
        new(
            "PublisherMissesStep",
            "A node that publishes is not told of the steps that change the regions of its groups.",
            PlantedPlace.Ensemble, 20, "V4", "V7", "V8", "D7", "D8", "D9")
        {
            Patches = [new("StepMaker.cs", "moved || publishing.Contains(node)", "moved")],
        },
        new(
            "PublisherNotIntroduced",
            "Members are not told of the nodes that publish to them, and take nothing of them.",
            PlantedPlace.Ensemble, 20, "D7", "D8")
        {
            Patches = [new("NotificationWriter.cs", "if (sender.Region != to) senders.Add(sender);", "")],
        },
        new(
            "PublisherNotReported",
            "Members do not tell a new server of the nodes that published to them: it does not wait for those.",
            nameof(MembershipRuns.PublisherGoesWithServer), 3, "D5", "D7", "R4", "Q1")
        {
            Patches = [new("KnownViews.cs", "if (senders.Count == 0) return;", "return;")],
        },
    ];
}
