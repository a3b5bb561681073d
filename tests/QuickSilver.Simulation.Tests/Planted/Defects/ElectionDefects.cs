using QuickSilver.Simulation.Tests.Planted.Breaking;
using QuickSilver.Testing.Runs.Generation;

namespace QuickSilver.Simulation.Tests.Planted.Defects;

/// <summary>Mistakes of elected membership servers.</summary>
internal static class ElectionDefects
{
    /// <summary>The mistakes.</summary>
    public static PlantedDefect[] All { get; } =
    [
        new(
            "LeaseOutlived",
            "A server that has stood still says what it was about to say, though its lease has ended.",
            nameof(ElectionRun), 200, "V6")
        {
            Patches =
            [
                new(
                    "LeasedLinks.cs",
                    "if (lease.IsValid(clock.Now)) links.Send(connection, frame);\n        else onLapsed();",
                    "links.Send(connection, frame);\n        if (!lease.IsValid(clock.Now)) onLapsed();"),
            ],
        },
        new(
            "LeaseWithoutEnd",
            "A server takes its lease to last for ever.",
            nameof(ElectionRun), 50, "V6")
        {
            Patches =
            [
                new("ServingLease.cs", "_usable = duration - (duration / DriftPart);", "_usable = duration * 100;"),
            ],
        },
        new(
            "LeaseFromTheAnswer",
            "A server counts its lease from the answer to its renewal.",
            nameof(ElectionRun), 200, "V6")
        {
            Patches =
            [
                new(
                    "ServingLease.cs",
                    "if (asked + _usable > End) End = asked + _usable;",
                    "if (now + _usable > End) End = now + _usable;"),
            ],
        },
        new(
            "LeaseWithoutMargin",
            "A server uses its lease to the end, by a clock that may be slow.",
            nameof(ElectionRun), 300, "V6")
        {
            Patches =
            [
                new("ServingLease.cs", "_usable = duration - (duration / DriftPart);", "_usable = duration;"),
            ],
        },
        new(
            "TermTakenTwice",
            "Two servers that follow each other have the same terms.",
            nameof(ElectionRun), 50, "V5", "V7", "V8", "V9")
        {
            Patches =
            [
                new("ServingLease.cs", "Term = (uint)term * TermsOfEach;", "Term = ((uint)term | 1) * TermsOfEach;"),
            ],
        },
    ];
}
