using QuickSilver.Simulation.Tests.Planted.Breaking;
using QuickSilver.Simulation.Tests.Planted.Targeted;

namespace QuickSilver.Simulation.Tests.Planted.Defects;

/// <summary>Mistakes with long messages: their pieces, and how they end.</summary>
internal static class LongMessageDefects
{
    /// <summary>The mistakes.</summary>
    public static PlantedDefect[] All { get; } =
    [
        new(
            "LongMessageCutShort",
            "A long message whose sender was removed ends as if it were complete.",
            nameof(SendingRuns.LongMessagesCut), 3, "L1")
        {
            Patches =
            [
                new(
                    "LongMessages.cs",
                    "EndAll(incoming => incoming.Sender.Number == sender.Number, LongMessageEnd.SenderGone);",
                    "EndAll(incoming => incoming.Sender.Number == sender.Number, LongMessageEnd.Complete);"),
            ],
        },
        new(
            "LongMessagesMingled",
            "The pieces of all long messages of a sender go to one.",
            nameof(SendingRuns.LongMessagesCut), 2, "L1", "L2")
        {
            Patches =
            [
                new(
                    "LongMessages.cs",
                    "bool fits = piece.IsGivenUp || (!piece.IsFirst && piece.Offset == known.Length);",
                    "bool fits = true;"),
                new("LongMessages.cs", "(sender.Number.Key, piece.Id);", "(sender.Number.Key, 1UL);"),
            ],
        },
        new(
            "LeaverAwaited",
            "The end of a long message is waited for when its sender has left the group.",
            nameof(SendingRuns.LongMessagesLeft), 3, "L3")
        {
            Patches =
            [
                new(
                    "LongMessages.cs",
                    "EndAll(HasLeft, LongMessageEnd.SenderGone);",
                    "EndAll(static _ => false, LongMessageEnd.SenderGone);"),
            ],
        },
        new(
            "PieceBitLost",
            "A piece of a long message that fits no packet is sent as an ordinary message.",
            nameof(SendingRuns.LongMessagesCut), 2, "L1", "L3", "E2")
        {
            Patches =
            [
                new("PacketPacker.cs", "isPiece: message.IsPiece);", "isPiece: message.IsPiece && offset == 0);"),
            ],
        },
    ];
}
