using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Dissemination;
using QuickSilver.Protocol.Dissemination.Sending;
using QuickSilver.Protocol.Dissemination.Streams;
using QuickSilver.Protocol.Lateral;
using QuickSilver.Protocol.Ordering;
using QuickSilver.Protocol.Recovery;
using QuickSilver.Protocol.Recovery.Reception;
using QuickSilver.Protocol.Recovery.Regions;
using QuickSilver.Protocol.Stack;
using QuickSilver.Protocol.Timed;

namespace QuickSilver.Testing.Invariants;

/// <summary>
/// A hash over what a node knows of its streams, rings and members, and over what it has counted but for what it has
/// rejected: two digests are equal when nothing that the protocol decides by has changed in between. O(streams and
/// members).
/// </summary>
internal static class StateDigest
{
    /// <summary>Digests a node.</summary>
    public static ulong Of(NodeStack stack)
    {
        StackParts rooms = stack.Rooms;
        ulong digest = 1;
        foreach (RegionRecovery region in rooms.Recoverer.Regions) Add(ref digest, region);
        foreach (StreamSender stream in rooms.Disseminator.Streams)
        {
            Mix(ref digest, stream.Highest, stream.Stable, stream.Heard);
            Mix(
                ref digest, (ulong)stream.WindowShare, (ulong)stream.Messages.Gate.Account.Messages,
                (ulong)stream.PacketsPerSecond);
        }
        RecoveryCounters received = rooms.RecoveryCounters;
        Mix(ref digest, received.PacketsReceived, received.PacketsDuplicate, received.PacketsMissed);
        Mix(ref digest, received.Answers, received.Takeovers, (ulong)received.CachedBytes);
        DisseminationCounters sent = rooms.DisseminationCounters;
        Mix(ref digest, sent.Answers, sent.Retransmissions, (ulong)sent.PendingMessages);
        Mix(
            ref digest, rooms.DeliveryCounters.Messages, rooms.DeliveryCounters.Duplicates,
            (ulong)rooms.DeliveryCounters.HeldBytes);
        Add(ref digest, rooms.LateralCounters);
        Add(ref digest, rooms.TimedCounters);
        if (rooms.OrderedCounters.Rings > 0) Add(ref digest, rooms.OrderedCounters);
        if (rooms.Keys is { } keys) digest = SeededRandom.Mix(digest + keys.Digest());
        return digest;
    }

    private static void Add(ref ulong digest, LateralCounters lateral)
    {
        Mix(ref digest, lateral.PacketsReceived, lateral.PacketsDuplicate, lateral.RepairsReceived);
        Mix(ref digest, lateral.PacketsResent, lateral.ResendsGiven, lateral.ResendsRefused);
        Mix(ref digest, lateral.PacketsDisproved, lateral.MessagesLost, (ulong)lateral.CachedBytes);
    }

    private static void Add(ref ulong digest, TimedCounters timed)
    {
        Mix(ref digest, timed.Messages, timed.Duplicates, timed.BeforeJoin);
        Mix(ref digest, timed.PacketsMissing, timed.PacketsRecovered, timed.NaksSuppressed);
        Mix(ref digest, timed.NaksReceived, timed.PacketsFiltered, (ulong)timed.HeldBytes);
    }

    private static void Add(ref ulong digest, OrderedCounters ordered)
    {
        Mix(ref digest, ordered.Messages, ordered.Duplicates, ordered.TokenVisits);
        Mix(ref digest, ordered.PacketsReceived, ordered.PacketsRecovered, (ulong)ordered.PacketsHeld);
        Mix(ref digest, ordered.Calls, ordered.CallsAnswered, ordered.Rings);
    }

    private static void Add(ref ulong digest, RegionRecovery region)
    {
        Mix(ref digest, region.Ring.Epoch, region.Ring.Round, (ulong)region.Ring.Term);
        for (int member = 0; member < region.View.Members.Length; member++)
            Mix(
                ref digest, (ulong)member, region.View.Members[member].IsRemoved ? 1UL : 0,
                region.IsSilent(member) ? 1UL : 0);
        foreach (StreamReceiver stream in region.Streams)
        {
            Mix(ref digest, stream.Sender.Number.Key, stream.ReadPosition, stream.ReadPositionTarget);
            Mix(ref digest, stream.KnownHighest, stream.Contiguous, stream.Window.Marked);
            Mix(ref digest, stream.Cleanup, stream.Lead.Stable, stream.Lead.Told);
            Mix(ref digest, stream.Cutoff, stream.Missing.Sequences, (ulong)stream.Cache.Bytes);
        }
    }

    private static void Mix(ref ulong digest, ulong first, ulong second, ulong third) =>
        digest = SeededRandom.Mix(SeededRandom.Mix(SeededRandom.Mix(digest + first) + second) + third);
}
