using QuickSilver.Simulation.Tests.Planted.Breaking;
using QuickSilver.Simulation.Tests.Planted.Targeted;

namespace QuickSilver.Simulation.Tests.Planted.Defects;

/// <summary>Mistakes of senders: numbers, regions, packets, repairs, what is pending, who is copied to.</summary>
internal static class SendingDefects
{
    /// <summary>The mistakes.</summary>
    public static PlantedDefect[] All { get; } =
    [
        new(
            "NumberSkipped",
            "A sender leaves a message number out, now and then.",
            PlantedPlace.Ensemble, 5, "D5", "D6", "D7")
        {
            Patches =
            [
                new(
                    "GroupSender.cs",
                    """
                    private void Number(OutgoingMessage message)
                        {
                            message.Number = LastNumber + 1;
                    """,
                    """
                    private void Number(OutgoingMessage message)
                        {
                            message.Number = LastNumber + ((LastNumber + 1) % 32 == 0 ? 2UL : 1UL);
                    """),
                new(
                    "SourcePacker.cs",
                    "ulong number = group.LastNumber + 1;",
                    "ulong number = group.LastNumber + ((group.LastNumber + 1) % 32 == 0 ? 2UL : 1UL);"),
            ],
        },
        new(
            "PreviousStepLost",
            "The first message in a stream does not tell the step of the message before it.",
            nameof(MembershipRuns.LeaveAndJoinAtOnce), 5, "D5", "D9")
        {
            Patches =
            [
                new(
                    "GroupLedger.cs",
                    "internal StepNumber LastStep => _lastStep;",
                    "internal StepNumber LastStep => default;"),
            ],
        },
        new(
            "NumbersForgottenAtLeave",
            "A node that leaves a group forgets the numbers of what it sent there, though others are in it.",
            PlantedPlace.Ensemble, 40, "V4", "D1", "D4", "D5", "D7", "D9")
        {
            Patches =
            [
                new(
                    "Disseminator.cs",
                    "_left.Add(sender);",
                    "_left.Add(sender); _groups.Remove(sender.Group.Id, out _);"),
            ],
        },
        new(
            "RegionLeftOut",
            "A message is not sent to the last of its group's regions.",
            PlantedPlace.Ensemble, 40, "V4", "D7")
        {
            Patches =
            [
                new(
                    "Route.cs",
                    "streams.Add(open(view, now));",
                    "if (streams.Count == 0 || view != views[^1]) streams.Add(open(view, now));"),
            ],
        },
        new(
            "GroupNotDiverted",
            "A lane of many groups writes a message of a group that goes another way where the lane goes.",
            nameof(SendingRuns.GroupsOfTwoWays), 2, "D7", "R1")
        {
            Patches =
            [
                new(
                    "SharedLane.cs",
                    "if (route is not null && route == Route) return group;",
                    "if (route is not null && Route is not null) return group;"),
            ],
        },
        new(
            "OwnMessageForgotten",
            "A sender does not deliver its own message when its own region has no other member.",
            PlantedPlace.Ensemble, 40, "D6")
        {
            Patches =
            [
                new("GroupSender.cs", "if (!carriesOwnCopy) OnOwn", "if (!carriesOwnCopy && !sent) OnOwn"),
                new(
                    "StreamMessages.cs",
                    "_own.Batch.Add(group, _context.ActiveStep, batch, now);",
                    "if (IsOwn) _own.Batch.Add(group, _context.ActiveStep, batch, now);"),
            ],
        },
        new(
            "SelfDeliveryAhead",
            "A sender delivers its own message when it is packed, whatever comes before it.",
            PlantedPlace.Moves, 20, "D5")
        {
            Patches =
            [
                new(
                    "GroupLedger.cs",
                    "bytes.Retain();",
                    """
                    Listener?.OnOwnMessages(message.Step, new DeliveryBatch(message.Number, bytes), now);
                    bytes.Retain();
                    """),
                new(
                    "Deliverer.cs",
                    "if (cursor.Next == 0) _order.Start(cursor, batch.Number, now);",
                    """
                    if (cursor.Next == 0) _order.Start(cursor, batch.Number, now);
                    if (batch.Number > cursor.Next)
                    {
                        _order.DeliverAhead(cursor, batch, now);
                        return;
                    }
                    """),
                new(
                    "ReorderStage.cs",
                    "private void Drain(SenderCursor cursor, Instant now)",
                    """
                    public void DeliverAhead(SenderCursor cursor, in DeliveryBatch batch, Instant now)
                    {
                        cursor.Next = Math.Max(cursor.Next, batch.End);
                        Deliver(cursor, batch, now);
                    }

                    private void Drain(SenderCursor cursor, Instant now)
                    """),
            ],
        },
        new(
            "EarlyCleanup",
            "Packets are cleaned up before every live member holds them.",
            PlantedPlace.Ensemble, 10, "D8")
        {
            Patches =
            [
                new(
                    "StreamSender.cs",
                    "if (ack.Stable > Stable)",
                    """
                    ack = ack with { Stable = Math.Max(ack.Stable, ack.Highest) };
                    if (ack.Stable > Stable)
                    """),
            ],
        },
        new(
            "NakCutShort",
            "The last packet of a range that was asked for is not sent again.",
            PlantedPlace.Ensemble, 20, "D7", "D9", "V8")
        {
            Patches = [new("StreamRepairs.cs", "ulong end = range.End;", "ulong end = range.End - 1;")],
        },
        new(
            "BeaconsStopAtAck",
            "A sender's beacons stop at the first acknowledgement, whatever it says.",
            nameof(SendingRuns.LastMessageLost), 10, "D7")
        {
            Patches =
            [
                new(
                    "StreamSender.cs",
                    "_roundTrip.OnFeedback(ack.Highest, _pending, now);",
                    "_roundTrip.OnFeedback(ack.Highest, _pending, now); _feed.StopBeacons();"),
                new(
                    "StreamFeed.cs",
                    "public void Announce() => _beacon.Announce();",
                    "public void Announce() => _beacon.Announce(); public void StopBeacons() => _beacon.Stop();"),
            ],
        },
        new(
            "FinalTooLow",
            "A sender says that its stream ended one packet earlier than it did.",
            PlantedPlace.Moves, 20, "D7")
        {
            Patches =
            [
                new(
                    "TrainBuilder.cs",
                    "WriteHeader(datagram, DatagramKind.Beacon, _pending.Highest, flags);",
                    "WriteHeader(datagram, DatagramKind.Beacon, _pending.Highest - (isFinal ? 1UL : 0UL), flags);"),
            ],
        },
        new(
            "PendingReleasedTwice",
            "Messages that become stable leave the account of what is pending twice.",
            PlantedPlace.Ensemble, 5, "R1")
        {
            Patches =
            [
                new(
                    "StreamMessages.cs",
                    "if (messages == 0) return;",
                    "if (messages == 0) return; Gate.Account.Remove(messages, bytes);"),
            ],
        },
        new(
            "GateStaysShut",
            "A group whose gate was shut is not told that there is room again.",
            PlantedPlace.Ensemble, 40, "D7")
        {
            Patches = [new("SendLane.cs", "_gate.OnChanged(open);", "if (open) return; _gate.OnChanged(open);")],
        },
        new(
            "CarrierNeverGoesBack",
            "A member that is carried by unicast stays so, though it hears multicast again.",
            nameof(SendingRuns.MulticastComesBack), 2, "R6")
        {
            Patches =
            [
                new(
                    "MemberCarriers.cs",
                    "if (member.Way != Way.Copied || BitOperations.PopCount(member.Heard) < ProbesHeard) return;",
                    "return;"),
            ],
        },
        new(
            "LentMemoryReused",
            "Memory that packets were lent from is written again while others still read it.",
            PlantedPlace.Ensemble, 30, "D1")
        {
            Patches =
            [
                new("OwnSegment.cs", "if (_control.IsHeld(block)) AddLent(block);\n", "if (false) AddLent(block);\n"),
            ],
        },
        new(
            "LoneInMergedRegion",
            "A sender takes itself for the only member of its group in a merged region that has one more.",
            PlantedPlace.Ensemble, 40, "V4", "D7", "D9")
        {
            Patches = [new("ActiveViews.cs", "own.CountMembers(group) > self)", "own.CountMembers(group) > self + 1)")],
        },
    ];
}
