using QuickSilver.Simulation.Tests.Planted.Breaking;
using QuickSilver.Simulation.Tests.Planted.Targeted;

namespace QuickSilver.Simulation.Tests.Planted.Defects;

/// <summary>Mistakes in timed groups: starts, order, time, fragments, memory.</summary>
internal static class TimedDefects
{
    /// <summary>The mistakes.</summary>
    public static PlantedDefect[] All { get; } =
    [
        new(
            "TimedFromBeforeTheJoin",
            "A member of a timed group takes what was sent before it joined, if it is still asked for.",
            nameof(TimedRuns.TimedMembersCome), 5, "D9")
        {
            Patches = [new("TimedReceiver.cs", "if (head.Place.Step < _group.Began)", "if (head.Place.Step.IsNone)")],
        },
        new(
            "TimedAfterItsTime",
            "A message of a timed group that waits behind a missing packet is delivered however old it is.",
            nameof(TimedRuns.TimedMembersCome), 10, "T1")
        {
            Patches =
            [
                new(
                    "InOrder.cs",
                    "bool isTooLate = packet.Ends <= now;",
                    "bool isTooLate = packet.Ends == Instant.Zero;"),
                new(
                    "HoleRequests.cs",
                    "else if (packet.State == PacketState.Waiting && packet.Ends - Margin <= now) urgent = sequence;",
                    "else if (packet.State == PacketState.Unknown) urgent = sequence;"),
                new(
                    "HoleRequests.cs",
                    "if (IsAnyDue(now) && !_isQueued)",
                    "if (IsAnyDue(now) && !_isQueued && now.Ticks % 4 == 0)"),
            ],
        },
        new(
            "TimedOlderAfterNewer",
            "An older state of an object is delivered after a newer one, if it comes later.",
            nameof(TimedRuns.TimedLatest), 5, "T2")
        {
            Patches =
            [
                new("InOrder.cs", "return number > latest;", "return number != latest;"),
                new(
                    "InOrder.cs",
                    "if (packet.State != PacketState.Missing && !isWaiting) continue;",
                    "if (packet.State != PacketState.Unknown) continue;"),
            ],
        },
        new(
            "TimedLossOfWhatWasDelivered",
            "What was delivered ahead of its turn is reported lost when its turn comes.",
            nameof(TimedRuns.TimedLatest), 5, "D5")
        {
            Patches =
            [
                new(
                    "InOrder.cs", "case PacketState.Delivered or PacketState.Replaced:", "case PacketState.Replaced:"),
            ],
        },
        new(
            "TimedFragmentsOverlap",
            "The second fragment of a message is taken to stand one byte before its place.",
            nameof(TimedRuns.TimedMembersCome), 2, "D1")
        {
            Patches = [new("InOrder.cs", "offset += part.Length;", "offset += part.Length - 1;")],
        },
        new(
            "TimedMemoryKept",
            "What a receiver of a timed group holds when it leaves is not given back.",
            nameof(TimedRuns.TimedMembersCome), 3, "R4")
        {
            Patches = [new("TimedReceiver.cs", "Window.Clear();", "Window.ReleaseEnded(Instant.Zero);")],
        },
        new(
            "TimedDeliveredAgain",
            "A receiver takes up its start again with each packet that is next.",
            nameof(TimedRuns.TimedMembersCome), 10, "D2", "D5", "E2")
        {
            Patches =
            [
                new(
                    "TimedReceiver.cs",
                    "private bool LooksBack => _before > 0 && Window.Next == _before;",
                    "private bool LooksBack => Window.Next > 1;"),
            ],
        },
    ];
}
