using QuickSilver.Simulation.Tests.Planted.Breaking;
using QuickSilver.Simulation.Tests.Planted.Targeted;

namespace QuickSilver.Simulation.Tests.Planted.Defects;

/// <summary>
/// Mistakes of receivers and of the token ring: what arrived, what is missing, what everybody holds, what a removed
/// sender left.
/// </summary>
internal static class RecoveryDefects
{
    /// <summary>The mistakes.</summary>
    public static PlantedDefect[] All { get; } =
    [
        new(
            "AckBeforeStore",
            "A packet counts as received although it was not stored: now and then a receiver drops one after it "
            + "has marked it.",
            PlantedPlace.Ensemble, 10, "D5", "D7", "D8")
        {
            Patches =
            [
                new(
                    "PacketStore.cs",
                    "if (!node.TryCopyToCache(datagram, part, out Slice slice)) return RejectReason.NoRoom;",
                    """
                    if (sequence % 32 == 0)
                    {
                        stream.Window.TryMark(sequence);
                        stream.Missing.Fill(sequence, out _);
                        return RejectReason.NoRoom;
                    }
                    if (!node.TryCopyToCache(datagram, part, out Slice slice)) return RejectReason.NoRoom;
                    """),
            ],
        },
        new(
            "IntervalMerge",
            "Merging two intervals of received packets takes one missing number in as well.",
            PlantedPlace.Ensemble, 20, "D7", "D8")
        {
            Patches =
            [
                new(
                    "ReceptionWindow.cs",
                    "_above -= (ulong)length;",
                    "_above -= (ulong)length; if (Contiguous < Highest && !Contains(Contiguous + 1)) Contiguous++;"),
            ],
        },
        new(
            "CacheCapIgnored",
            "Packets are cached beyond the cap.",
            nameof(RecoveryRuns.StuckMember), 2, "R1")
        {
            Patches =
            [
                new(
                    "RecoveryContext.cs",
                    "Counters.CachedBytes + bytes <= Settings.CacheBytes && !_pool.IsTight;",
                    "true;"),
            ],
        },
        new(
            "OwnPartitionDropped",
            "A member lets packets of its own partition go as soon as its partition holds them, though others may "
            + "still need them.",
            PlantedPlace.Ensemble, 30, "D8")
        {
            Patches = [new("StreamReceiver.cs", "if (partition != _partition)", "if (partition >= 0)")],
        },
        new(
            "UnheardCountsAsHeld",
            "A stream that members visited earlier in a round had not heard of counts as held by them.",
            nameof(RecoveryRuns.UnheardStream), 2, "D8")
        {
            Patches = [new("TokenVisit.cs", "record.Contiguous = 0;", "record.Contiguous = stream.Contiguous;")],
        },
        new(
            "SkippedCountsAsVisited",
            "A round that skipped a member raises stability.",
            PlantedPlace.Ensemble, 20, "D8")
        {
            Patches = [new("TokenWalk.cs", "if (!isRemoved) Token.Complete = false;", "")],
        },
        new(
            "TokenRoundUnchecked",
            "A token of a round that is over is taken for a new one.",
            PlantedPlace.Ensemble, 40, "R3")
        {
            Patches =
            [
                new(
                    "TokenWalk.cs",
                    "if (hop.Round != Round) return hop.Round > Round;",
                    "if (hop.Round != Round) return true;"),
            ],
        },
        new(
            "TokenHopsMixed",
            "Datagrams of two hops of a token are joined.",
            PlantedPlace.Ensemble, 60, "E2")
        {
            Patches = [new("TokenHopIn.cs", "_received = 0;", "")],
        },
        new(
            "TakeoverKeepsEpoch",
            "A member that takes the lead, or begins a round again, stays in the epoch of the token that may still "
            + "be under way.",
            PlantedPlace.Ensemble, 40, "R3")
        {
            Patches = [new("RingLeadership.cs", "if (Epoch < uint.MaxValue) Epoch++;", "")],
        },
        new(
            "NakToWrongPartition",
            "A sender is asked for the packet after the one that is missing, which is another partition's.",
            nameof(RecoveryRuns.PartitionsMiss), 2, "D7")
        {
            Patches =
            [
                new(
                    "RequestFeed.cs",
                    "Add(stream, stream.Sender, isNak: true, wide, partition, range);",
                    """
                    if (view.Partitions.Count > 1) range = new SequenceRange(range.Start + 1, range.End + 1);
                    Add(stream, stream.Sender, isNak: true, wide, partition, range);
                    """),
            ],
        },
        new(
            "GapPassedTooEarly",
            "A receiver goes on past a gap as soon as one of a removed sender's streams is closed, though others "
            + "are open.",
            nameof(RecoveryRuns.SenderCrashesInSeveralViews), 3, "D2", "D4", "D5")
        {
            Patches = [new("Recoverer.cs", "if (region.Removed.HasOpen(sender)) return;", "")],
        },
        new(
            "LatePacketTaken",
            "Packets of a removed sender are taken, even when its stream is closed.",
            nameof(RecoveryRuns.LatePackets), 3, "D5", "R4")
        {
            Patches = [new("RegionStreams.cs", "reason = RejectReason.RemovedSender;", "return stream;")],
        },
        new(
            "NewRangeAbandoned",
            "A packet is abandoned in the very round in which somebody first missed it, though those visited "
            + "before were not asked.",
            nameof(RecoveryRuns.SenderCrashesInSeveralViews), 10, "D5")
        {
            Patches =
            [
                new("OrphanVisit.cs", "if (orphan.Rounds < RoundsBeforeVerdict) return;", ""),
                new(
                    "OrphanVisit.cs",
                    "if (range.IsOld && range.Holder == OrphanRange.Unknown)",
                    "if (range.Holder == OrphanRange.Unknown)"),
            ],
        },
        new(
            "UnheardStreamClosed",
            "A removed sender's stream counts as closed for a member that had never heard of it.",
            nameof(RecoveryRuns.UnheardSenderCrashes), 2, "D5")
        {
            Patches =
            [
                new(
                    "RemovedSenders.cs",
                    "StreamReceiver left = Orphan(sender);",
                    """
                    StreamReceiver left = Orphan(sender);
                    if (left.KnownHighest == 0) CloseStream(left, now);
                    """),
            ],
        },
        new(
            "SourceUnchecked",
            "A datagram that comes from another address than its sender's is taken all the same.",
            PlantedPlace.Ensemble, 30, "E3")
        {
            Patches =
            [
                new(
                    "RegionState.cs",
                    "return speaker is null || speaker.MaySend(header.Kind, arrival);",
                    "return true;"),
                new(
                    "ControlRouter.cs",
                    "if (!view.Members[member].MaySend(header.Kind, arrival)) return RejectReason.WrongSource;",
                    ""),
                new(
                    "ControlRouter.cs",
                    "if (!region.View.Members[member].MaySend(header.Kind, arrival)) return RejectReason.WrongSource;",
                    ""),
                new(
                    "ControlRouter.cs",
                    "if (!node.MaySend(header.Kind, arrival)) return RejectReason.WrongSource;",
                    ""),
            ],
        },
        new(
            "RepairNeverBacksOff",
            "A node repairs a packet for a member each time that it asks, and asks so itself, however "
            + "often that was in vain.",
            nameof(RecoveryRuns.NoPacketsArrive), 2, "R7")
        {
            Patches =
            [
                new(
                    "MissingPass.cs",
                    "range.DueAt(grace, Patience);",
                    "(range.Attempts > 0 ? range with { Attempts = 1 } : range).DueAt(grace, Patience);"),
                new(
                    "GapRepair.cs",
                    "AsksInVain(Instant now) => _retries.IsVain(now);",
                    "AsksInVain(Instant now) => false;"),
                new("GapRepair.cs", "bool isRetry = range.Attempts >= freeAttempts;", "bool isRetry = false;"),
                new(
                    "RepairFeed.cs",
                    "RepairPause.After(RepeatAfter, recent.Times - 1)",
                    "RepairPause.After(RepeatAfter, 0)"),
                new("RepairFeed.cs", "else if (!MayRepeat(region, member, now)) return;", ""),
                new(
                    "StreamRepairs.cs",
                    "RepairPause.After(roundTrip, packet.Repeats - 1)",
                    "RepairPause.After(roundTrip, 0)"),
                new("StreamRepairs.cs", "else if (!MayRepeat(member, now)) return;", ""),
            ],
        },
        new(
            "PathNeverNarrows",
            "A member that finds a way narrow tells nobody.",
            nameof(RecoveryRuns.NarrowWay), 2, "D7")
        {
            Patches = [new("InboundPaths.cs", "if (longest == path.Full) longest = 0;", "longest = 0;")],
        },
        new(
            "PartsMisplaced",
            "A part of a packet is put one byte before its place.",
            nameof(RecoveryRuns.NarrowWay), 2, "D7", "D8", "E2")
        {
            Patches =
            [
                new(
                    "PartJoin.cs",
                    "part.Bytes.CopyTo(Whole.Span[part.Offset..]);",
                    "part.Bytes.CopyTo(Whole.Span[Math.Max(0, part.Offset - 1)..]);"),
            ],
        },
    ];
}
