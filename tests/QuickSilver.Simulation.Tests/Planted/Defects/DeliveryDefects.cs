using QuickSilver.Simulation.Tests.Planted.Breaking;
using QuickSilver.Simulation.Tests.Planted.Targeted;

namespace QuickSilver.Simulation.Tests.Planted.Defects;

/// <summary>
/// Mistakes between a received packet and the application: order, places, stays, fragments, what waits for a step.
/// </summary>
internal static class DeliveryDefects
{
    /// <summary>The mistakes.</summary>
    public static PlantedDefect[] All { get; } =
    [
        new(
            "DuplicateDelivered",
            "A receiver delivers a message again, now and then, when a second copy of its packet comes.",
            PlantedPlace.Ensemble, 20, "D2")
        {
            Patches =
            [
                new(
                    "RegionRecovery.cs",
                    "_node.Counters.PacketsDuplicate++;",
                    """
                    _node.Counters.PacketsDuplicate++;
                    if (Delivery.Deliverer.IsWellFormed(View, datagram)
                        && _node.TryCopyToCache(datagram, default, out Slice again))
                    {
                        _node.Deliverer.OnPacket(View, stream.Sender, again, now);
                        again.Release();
                    }
                    """),
                new(
                    "ReorderStage.cs",
                    "!TryPassDelivered(cursor, ref batch)",
                    "!TryPassDelivered(cursor, ref batch, now)"),
                new(
                    "ReorderStage.cs",
                    "private bool TryPassDelivered(SenderCursor cursor, ref DeliveryBatch batch)",
                    "private bool TryPassDelivered(SenderCursor cursor, ref DeliveryBatch batch, Instant now)"),
                new(
                    "ReorderStage.cs",
                    "if (passed == batch.Count) return false;",
                    """
                    if (batch.Number + (ulong)passed == cursor.Next)
                        Deliver(cursor, new DeliveryBatch(cursor.Next - 1, batch[passed - 1]), now);
                    if (passed == batch.Count) return false;
                    """),
            ],
        },
        new(
            "PlaceStartsAnywhere",
            "A receiver without a place begins with whatever message comes first.",
            PlantedPlace.Ensemble, 30, "D5", "D9")
        {
            Patches = [new("Deliverer.cs", "if (MayStart(group, record)) _order", "if (cursor.Next == 0) _order")],
        },
        new(
            "PlaceKeptAcrossLeave",
            "A receiver's place is kept when it leaves, and goes on when it joins again.",
            nameof(MembershipRuns.LeaveAndJoinAtOnce), 5, "D7", "D8")
        {
            Patches =
            [
                new(
                    "Deliverer.cs",
                    "_groups.Add(receiver);",
                    "KeepCursors(receiver); _groups.Add(receiver);"),
                new(
                    "Deliverer.cs",
                    "internal static StepNumber ReadStep(",
                    """
                    private readonly Dictionary<GroupId, GroupReceiver> _ended = [];

                    private void KeepCursors(GroupReceiver group)
                    {
                        if (_ended.TryGetValue(group.Info.Id, out GroupReceiver? before))
                        {
                            foreach (SenderCursor cursor in before.Cursors)
                                group.CursorOf(cursor.Sender).Next = cursor.Next;
                        }
                        _ended[group.Info.Id] = group;
                    }

                    internal static StepNumber ReadStep(
                    """),
            ],
        },
        new(
            "SessionIgnored",
            "Messages that were sent before a receiver's session began are taken.",
            nameof(MembershipRuns.LeaveAndJoinAtOnce), 5, "D9", "R4")
        {
            Patches = [new("Deliverer.cs", "if (step < group.SessionBegan)\n", "if (false)\n")],
        },
        new(
            "StepNotAwaited",
            "Packets of a step that is not installed are handled at once.",
            nameof(MembershipRuns.LateStep), 2, "D3")
        {
            Patches = [new("Deliverer.cs", "if (step > Cap.Installed)\n", "if (false)\n")],
        },
        new(
            "HeldPacketsDropped",
            "Packets that waited for a step are forgotten when it is installed.",
            nameof(MembershipRuns.LateStep), 2, "D7", "D8")
        {
            Patches = [new("Deliverer.cs", "OnPacket(packet.View, packet.Sender, packet.Datagram, now);", "")],
        },
        new(
            "HeldKeptAtLeave",
            "What a receiver holds when it leaves is not given back.",
            nameof(MembershipRuns.LeaveAndJoinAtOnce), 5, "R4")
        {
            Patches = [new("Deliverer.cs", "_order.Drop(cursor);", "")],
        },
        new(
            "FragmentShifted",
            "A fragment is taken to stand one byte before its place.",
            PlantedPlace.Ensemble, 20, "E2")
        {
            Patches =
            [
                new(
                    "ReorderStage.cs",
                    "known.Add(fragment.MessageLength, fragment.FragmentOffset, bytes)",
                    "known.Add(fragment.MessageLength, Math.Max(0, fragment.FragmentOffset - 1), bytes)"),
                new(
                    "ReorderStage.cs",
                    "parts.Add(fragment.MessageLength, fragment.FragmentOffset, bytes)",
                    "parts.Add(fragment.MessageLength, Math.Max(0, fragment.FragmentOffset - 1), bytes)"),
            ],
        },
        new(
            "FilterLetsAMessageThrough",
            "A message of a group that the node is not in is taken for the first of its groups.",
            PlantedPlace.Ensemble, 40, "D1", "D2", "D3", "D4", "D5", "D9")
        {
            Patches =
            [
                new(
                    "Deliverer.cs",
                    "if (groups.ByIndex[record.GroupIndex] is not { } group)",
                    """
                    if ((groups.ByIndex[record.GroupIndex]
                        ?? Array.Find(groups.ByIndex, static any => any is not null)) is not { } group)
                    """),
            ],
        },
    ];
}
