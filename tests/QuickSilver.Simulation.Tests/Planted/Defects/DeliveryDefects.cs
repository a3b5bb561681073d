using QuickSilver.Simulation.Tests.Planted.Breaking;

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
                    if (_node.Events.IsWellFormed(View, datagram)
                        && _node.TryCopyToCache(datagram, default, out Slice again))
                    {
                        _node.Events.OnPacket(View, stream.Sender, again, now);
                        again.Release();
                    }
                    """),
                new("ReorderStage.cs", "!TryPassDelivered(place, ref run)", "!TryPassDelivered(place, ref run, now)"),
                new(
                    "ReorderStage.cs",
                    "private bool TryPassDelivered(SenderCursor place, ref DeliveryBatch run)",
                    "private bool TryPassDelivered(SenderCursor place, ref DeliveryBatch run, Instant now)"),
                new(
                    "ReorderStage.cs",
                    "if (passed == run.Count) return false;",
                    """
                    if (run.Number + (ulong)passed == place.Next)
                        Deliver(place, new DeliveryBatch(place.Next - 1, run[passed - 1]), now);
                    if (passed == run.Count) return false;
                    """),
            ],
        },
        new(
            "PlaceStartsAnywhere",
            "A receiver without a place begins with whatever message comes first.",
            PlantedPlace.Ensemble, 30, "D5", "D9")
        {
            Patches = [new("Deliverer.cs", "if (MayStart(group, record)) _order", "if (place.Next == 0) _order")],
        },
        new(
            "PlaceKeptAcrossLeave",
            "A receiver's place is kept when it leaves, and goes on when it joins again.",
            nameof(TargetedRuns.LeaveAndJoinAtOnce), 5, "D7", "D8")
        {
            Patches =
            [
                new(
                    "Deliverer.cs",
                    "_byId.Add(group.Id, receiver);",
                    "KeepPlaces(receiver); _byId.Add(group.Id, receiver);"),
                new(
                    "Deliverer.cs",
                    "internal static StepNumber ReadStep(",
                    """
                    private readonly Dictionary<GroupId, GroupReceiver> _ended = [];

                    private void KeepPlaces(GroupReceiver group)
                    {
                        if (_ended.TryGetValue(group.Info.Id, out GroupReceiver? before))
                        {
                            foreach (SenderCursor place in before.Places) group.PlaceOf(place.Sender).Next = place.Next;
                        }
                        _ended[group.Info.Id] = group;
                    }

                    internal static StepNumber ReadStep(
                    """),
            ],
        },
        new(
            "StayIgnored",
            "Messages that were sent before a receiver's stay began are taken.",
            nameof(TargetedRuns.LeaveAndJoinAtOnce), 5, "D9", "R4")
        {
            Patches = [new("Deliverer.cs", "if (step < group.StayBegan)\n", "if (false)\n")],
        },
        new(
            "StepNotAwaited",
            "Packets of a step that is not installed are handled at once.",
            nameof(TargetedRuns.LateStep), 2, "D3")
        {
            Patches = [new("Deliverer.cs", "if (step > Cap.Installed)\n", "if (false)\n")],
        },
        new(
            "HeldPacketsDropped",
            "Packets that waited for a step are forgotten when it is installed.",
            nameof(TargetedRuns.LateStep), 2, "D7", "D8")
        {
            Patches = [new("Deliverer.cs", "OnPacket(packet.View, packet.Sender, packet.Datagram, now);", "")],
        },
        new(
            "HeldKeptAtLeave",
            "What a receiver holds when it leaves is not given back.",
            nameof(TargetedRuns.LeaveAndJoinAtOnce), 5, "R4")
        {
            Patches = [new("Deliverer.cs", "_order.Drop(place);", "")],
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
                    "switch (AddFragment(place, number, messageLength, offset, bytes))",
                    """
                    if (offset > 0) offset--;
                    switch (AddFragment(place, number, messageLength, offset, bytes))
                    """),
            ],
        },
    ];
}
