using QuickSilver.Simulation.Tests.Planted.Breaking;
using QuickSilver.Simulation.Tests.Planted.Targeted;

namespace QuickSilver.Simulation.Tests.Planted.Defects;

/// <summary>Mistakes in lateral groups: stays, gaps, duplicates, fragments, turns of repairs.</summary>
internal static class LateralDefects
{
    /// <summary>The mistakes.</summary>
    public static PlantedDefect[] All { get; } =
    [
        new(
            "LateralStayBeginsLate",
            "A session in a lateral group begins behind the first message of its step, if another comes before that.",
            nameof(LateralRuns.LateralMoves), 8, "D5")
        {
            Patches =
            [
                new(
                    "Reception.cs",
                    "ulong low = isFirst ? firstInStep :",
                    "ulong low = isFirst ? Math.Min(number, firstInStep + 1) :"),
            ],
        },
        new(
            "LateralStayTakesOlder",
            "A session in a lateral group takes packets of the step before it.",
            nameof(LateralRuns.LateralMoves), 8, "D9", "D2")
        {
            Patches =
            [
                new(
                    "LateralReceiving.cs",
                    "if (IsBefore(block.Term, block.Step, member.Began))",
                    "if (IsBefore(block.Term, block.Step + 1, member.Began))"),
            ],
        },
        new(
            "LateralStepNotAwaited",
            "A packet of a lateral group is delivered before its step is installed.",
            nameof(LateralRuns.LateralLateStep), 4, "D3")
        {
            Patches =
            [
                new(
                    "LateralReceiving.cs",
                    "if (IsAfter(block.Term, block.Step, _parts.Context.Cluster.Installed))",
                    "if (IsAfter(block.Term, block.Step, new StepNumber(member.Began.Epoch, ulong.MaxValue)))"),
            ],
        },
        new(
            "LateralGapIgnored",
            "A gap in the numbers of a lateral group is not noticed: what repairs do not give stays missing.",
            nameof(LateralRuns.LateralMoves), 4, "D5")
        {
            Patches =
            [
                new("Reception.cs", "AddMissing(from, number, template);", "AddMissing(number, number, template);"),
            ],
        },
        new(
            "LateralFragmentsAsTheyCome",
            "Fragments of a message of a lateral group are joined in the order in which they come.",
            nameof(LateralRuns.LateralMoves), 4, "D1")
        {
            Patches =
            [
                new("Assembly.cs", "_parts[fragment - 1] = bytes;", "_parts[_got] = bytes;"),
                new("Assembly.cs", "=> !_parts[fragment - 1].IsEmpty;", "=> !_seen.Add(fragment);"),
                new("Assembly.cs", "private int _got;", "private int _got; private readonly HashSet<uint> _seen = [];"),
            ],
        },
        new(
            "LateralDuplicateDelivered",
            "A packet of a lateral group that comes again, after it has left the cache, is delivered again.",
            nameof(LateralRuns.LateralMoves), 4, "D2", "E1", "E2")
        {
            Patches =
            [
                new(
                    "LateralReceiving.cs",
                    "if (_parts.Cache.TryGet(id, out _) || reception.IsDone(id.Number))",
                    "if (_parts.Cache.TryGet(id, out _) && _parts.Counters.PacketsReceived % 8 != 0)"),
                new(
                    "LateralReceiving.cs",
                    "if (!_parts.Cache.TryAdd(id, bytes, now, out Slice kept)) return RejectReason.NoRoom;",
                    "if (!_parts.Cache.TryGet(id, out Slice kept)) _parts.Cache.TryAdd(id, bytes, now, out kept);"),
            ],
        },
        new(
            "LateralTurnsFromTheFirst",
            "Members of a lateral group count their turns from the first member, and not from themselves: some are "
                + "served by several, and others by nobody.",
            nameof(LateralRuns.LateralTurns), 3, "T3")
        {
            Patches =
            [
                new("RepairTurns.cs", "int turn = place + (int)(id.Mixed", "int turn = (int)(id.Mixed"),
            ],
        },
        new(
            "LateralTurnTakenOnce",
            "A repair of a lateral group that has left in its turn has no turn again.",
            nameof(LateralRuns.LateralTurns), 3, "T3")
        {
            Patches =
            [
                new("RepairBin.cs", "IsReady = false;\n        Due = Instant.Never;", "IsReady = false;"),
            ],
        },
        new(
            "LateralTurnOfTheFirstLane",
            "Of repairs that are filled in turn the first leaves, whichever the packet is in.",
            nameof(LateralRuns.LateralStaggered), 3, "T3")
        {
            Patches =
            [
                new("RepairBins.cs", "_turns.Begin(bin, now)", "_turns.Begin(bins[index], now)"),
            ],
        },
    ];
}
