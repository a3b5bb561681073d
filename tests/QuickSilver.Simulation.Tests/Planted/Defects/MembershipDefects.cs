using QuickSilver.Simulation.Tests.Planted.Breaking;
using QuickSilver.Simulation.Tests.Planted.Targeted;

namespace QuickSilver.Simulation.Tests.Planted.Defects;

/// <summary>Mistakes of the membership server and of the agents that follow it.</summary>
internal static class MembershipDefects
{
    /// <summary>The mistakes.</summary>
    public static PlantedDefect[] All { get; } =
    [
        new(
            "PartitionMap",
            "A node takes its members for those of the neighbouring partition.",
            PlantedPlace.Ensemble, 5, "V3")
        {
            Patches =
            [
                new(
                    "AgentRegions.cs",
                    "entry.Replication,",
                    "known.Self?.Number.Counter % 4 == 0 ? entry.Replication + 1 : entry.Replication,"),
            ],
        },
        new(
            "NewVersionToAnOldNode",
            "A region keeps a view of a newer version when an older node comes to send there.",
            nameof(MembershipRuns.OldNodeComesToSend), 2, "E4")
        {
            Patches =
            [
                new("StepMaker.cs", "if (node.Info.IsRemoved || node.Versions", "if (true || node.Versions"),
                new("AgentRegions.cs", "|| !versions.Contains(entry.Version)", ""),
            ],
        },
        new(
            "DatagramOfTheNewestVersion",
            "A node writes control datagrams by its own newest version and not by that of the view.",
            nameof(MembershipRuns.OldNodeComesToSend), 2, "E4")
        {
            Patches =
            [
                new("RecoveryContext.cs", "Version = view.Version,", "Version = ProtocolVersions.OldestSpoken + 1,"),
            ],
        },
        new(
            "StepSkipped",
            "A node acknowledges a step without installing it, now and then.",
            PlantedPlace.Ensemble, 20, "V1", "V7")
        {
            Patches =
            [
                new(
                    "AgentNews.cs",
                    "if (cluster.Install(frame) is not { } installed) return false;",
                    """
                    if (frame.Step % 4 == 0 && cluster.Skip(frame))
                    {
                        ConfirmInstalled(frame.Step);
                        return true;
                    }
                    if (cluster.Install(frame) is not { } installed) return false;
                    """),
                new(
                    "AgentCluster.cs",
                    "private InstalledStep Commit(",
                    """
                    public bool Skip(StepFrame frame)
                    {
                        if (Self is null || frame.Step != _lastStep + 1) return false;
                        _lastStep = frame.Step;
                        return true;
                    }

                    private InstalledStep Commit(
                    """),
            ],
        },
        new(
            "LeaveAndJoinInOneStep",
            "A leave and a join of one node and group share a step.",
            nameof(MembershipRuns.LeaveAndJoinAtOnce), 5, "V7", "D9")
        {
            Patches =
            [
                new(
                    "ChangeQueue.cs",
                    "if (_changed.Contains(change.Subject))\n",
                    "bool isSecond = _changed.Contains(change.Subject);\nif (false)\n"),
                new(
                    "ChangeQueue.cs",
                    "if (SortedCounters.Contains(had, change.Group)",
                    "if (!isSecond && SortedCounters.Contains(had, change.Group)"),
            ],
        },
        new(
            "JoinSettledEarly",
            "A join returns before all senders have switched.",
            nameof(MembershipRuns.LateSender), 2, "D9")
        {
            Patches = [new("StepPipeline.cs", "if (made.ToSwitch.Count > 0) return false;", "")],
        },
        new(
            "ViewRetiredAtFirstDone",
            "A view retires when the first of its senders is done with it.",
            PlantedPlace.Ensemble, 30, "D7", "D8", "V4")
        {
            Patches =
            [
                new("ViewLedger.cs", "return TryRetire(view, now);", "return TryRetire(view, now, early: true);"),
                new(
                    "ViewLedger.cs",
                    "private bool TryRetire(ServerView view, Instant now)",
                    "private bool TryRetire(ServerView view, Instant now, bool early = false)"),
                new(
                    "ViewLedger.cs",
                    "view.Awaited.Count + view.Open.Count > 0) return false;",
                    "(view.Awaited.Count + view.Open.Count > 0 && !early)) return false;"),
            ],
        },
        new(
            "ViewRetiredBeforeClosed",
            "A view retires without waiting for the streams of removed senders.",
            nameof(RecoveryRuns.SenderCrashesInSeveralViews), 5, "D5")
        {
            Patches = [new("ViewLedger.cs", "if (view.Permitted.Contains(node.Slot)) AwaitClosing(view, node);", "")],
        },
        new(
            "GraceIgnored",
            "A node whose connection breaks is removed at once.",
            PlantedPlace.Ensemble, 40, "V7")
        {
            Patches =
            [
                new(
                    "FailureDetector.cs",
                    "node.HasEnded = isEnded && !sight.IsSilent(node, now);",
                    """
                    node.HasEnded = isEnded && !sight.IsSilent(node, now);
                    node.ReconnectBy = now;
                    Set(node);
                    return;
                    """),
            ],
        },
        new(
            "DetectorHasty",
            "A node is removed after a quarter of the detector's period.",
            PlantedPlace.Ensemble, 30, "V7")
        {
            Patches =
            [
                new(
                    "FailureDetector.cs",
                    "sight.LimitOf(node, _settings.FailureTimeout);",
                    "sight.LimitOf(node, _settings.FailureTimeout / 4);"),
            ],
        },
        new(
            "NodeNumberReused",
            "A server that took over gives numbers again that its predecessor gave.",
            nameof(MembershipRuns.NewNodeAfterTakeover), 2, "V5")
        {
            Patches =
            [
                new(
                    "Registrar.cs",
                    "parts.Nodes.Add(hello, identity, parts.ServerEpoch.Epoch,",
                    "parts.Nodes.Add(hello, identity, parts.ServerEpoch.GroupEpoch,"),
            ],
        },
        new(
            "RemovedListLost",
            "A server that takes over forgets who was removed.",
            nameof(MembershipRuns.RemovedNodeReturnsToNewServer), 2, "V5")
        {
            Patches =
            [
                new(
                    "Takeover.cs",
                    "foreach (ulong key in report.IsEmpty ? [] : report.Removed)\n",
                    "foreach (ulong key in (ulong[])[])\n"),
            ],
        },
        new(
            "ViewMissesADeparture",
            "The views of groups keep their numbers when a node leaves all of them.",
            PlantedPlace.Ensemble, 20, "V4")
        {
            Patches =
            [
                new(
                    "GroupChanges.cs",
                    "if (_seen.Add((from?.Id.Counter ?? 0, to?.Id.Counter ?? 0)))",
                    "if (to is not null && _seen.Add((from?.Id.Counter ?? 0, to.Id.Counter)))"),
            ],
        },
        new(
            "SwitchMissesAStep",
            "A node that switches to a step sends by the views of the step before, now and then.",
            PlantedPlace.Ensemble, 20, "V4", "D5", "D7", "D9")
        {
            Patches =
            [
                new(
                    "ActiveViews.cs",
                    "_active = cluster.Layout;",
                    "if (cluster.Installed.Counter % 4 != 0 || _active.Own is null) _active = cluster.Layout;"),
            ],
        },
        new(
            "MergeForgetsAMember",
            "A merge leaves a node behind in its former region, whose group the merged one has.",
            PlantedPlace.Ensemble, 40, "V4", "V2")
        {
            Patches =
            [
                new(
                    "RegionMerger.cs",
                    "if (!regions.HasMoved(node) && node.Region != bundle.Carrier) carried.Add(node);",
                    """
                    if (!regions.HasMoved(node) && node.Region != bundle.Carrier && node.Slot % 4 != 1)
                        carried.Add(node);
                    """),
            ],
        },
        new(
            "MergedRegionKeepsAGroup",
            "A merged region keeps the groups of a home whose last node has left.",
            PlantedPlace.Ensemble, 120, "V4")
        {
            Patches =
            [
                new(
                    "RegionMerger.cs",
                    "uint[] groups = bundle.Homes[0].Groups;",
                    "uint[] groups = bundle.Homes.Count > 1 ? bundle.Groups : bundle.Homes[0].Groups;"),
            ],
        },
        new(
            "ViewNamesForeignMembers",
            "A group's view names the members of a merged region that are not in the group.",
            PlantedPlace.Ensemble, 40, "V4", "V3")
        {
            Patches =
            [
                new(
                    "AgentRegions.cs",
                    "if (entry.IsMerged) groups.Add(homes[index].Info.Groups);",
                    """
                    if (entry.IsMerged)
                        groups.Add(known.Self?.Number.Counter % 3 == 0 ? region.Info.Groups : homes[index].Info.Groups);
                    """),
            ],
        },
        new(
            "GroupForgottenTooEarly",
            "A group is forgotten when the last node leaves it, though views name it, and its number is given to "
            + "the next.",
            PlantedPlace.Ensemble, 40, "V5", "V7")
        {
            Patches =
            [
                new(
                    "RegionCalculator.cs",
                    "SetRegions(group, null);",
                    """
                    SetRegions(group, null);
                    groups?.OnDeserted(group);
                    """),
                new(
                    "ServerGroups.cs",
                    "/// <summary>Adds a reference to a group.</summary>",
                    """
                    public void OnDeserted(uint counter)
                    {
                        Find(counter).Uses = 1;
                        Release(counter);
                    }

                    """),
                new(
                    "ServerGroups.cs",
                    "if (group.Maker is { } maker) maker.GroupsMade--;",
                    "if (group.Maker is { } maker) maker.GroupsMade--; _last = group.Counter - 1;"),
            ],
        },
        new(
            "RestartCountedTwice",
            "A restarted process counts for itself and for the one it follows.",
            nameof(MembershipRuns.MinorityWithRestarts), 2, "V10")
        {
            Patches = [new("Takeover.cs", "return here.Count;", "return here.Count + _followers.Count;")],
        },
        new(
            "MajorityCountsDead",
            "Nodes that registered with a new server and died since count as back.",
            nameof(MembershipRuns.MinorityOfTheDead), 2, "V10")
        {
            Patches =
            [
                new(
                    "Takeover.cs",
                    "here.RemoveWhere(node => node.Info.IsRemoved || IsAway(node));",
                    ""),
                new("Takeover.cs", "_missing.Count + Lost.Count();", "_missing.Count;"),
                new("Takeover.cs", "if (!_following.Remove(node)) return;", "return;"),
            ],
        },
        new(
            "SightLossIgnored",
            "A server that loses sight of most members removes them.",
            nameof(MembershipRuns.HostCutOff), 2, "V10")
        {
            Patches = [new("QuorumLossGuard.cs", "if (!_parts.Settings.AwaitMajority) return false;", "return false;")],
        },
        new(
            "PauseIsNoConfirmation",
            "A server that stood still counts the time against nodes that could confirm nothing to it.",
            nameof(MembershipRuns.ServerStandsStill), 5, "V7")
        {
            Patches =
            [
                new("FailureDetector.cs", "node.LastHeard = Later(node.LastHeard);", "node.LastHeard = now;"),
                new("FailureDetector.cs", "node.ConfirmedAt = Later(node.ConfirmedAt);", ""),
                new("FailureDetector.cs", "now < _readBy || now - parts", "now - parts"),
            ],
        },
        new(
            "StrangersAreWitnesses",
            "Nodes count as witnesses against others with which they share no view.",
            nameof(MembershipRuns.StrangersAccuse), 2, "V7")
        {
            Patches =
            [
                new(
                    "Concern.cs",
                    "parts.Inherited.AddConcerned(node, _others);",
                    "_others.UnionWith(parts.Nodes.Live);"),
            ],
        },
        new(
            "SlowMemberKept",
            "The server never removes a member that is too slow.",
            nameof(SlowRuns.SlowMember), 2, "V11")
        {
            Patches =
            [
                new(
                    "SlowMemberJudge.cs",
                    "is not { } worst || !sight.MayRemove(worst, now)) return;",
                    "is not { } worst || now > Instant.Zero) return;"),
            ],
        },
        new(
            "SlowMemberForgiven",
            "A sender begins the time of a slow member again with each heartbeat.",
            nameof(SlowRuns.SlowMember), 2, "V11")
        {
            Patches = [new("SlowMemberWatch.cs", "if (isPaused) _heldSince.Clear();", "_heldSince.Clear();")],
        },
        new(
            "SlowestRemovedAnyway",
            "The server takes a member for one that keeps up though its handlers take most of its time.",
            nameof(SlowRuns.AllSlow), 2, "V11")
        {
            Patches =
            [
                new(
                    "SlowMemberJudge.cs",
                    "word is not { IsHandling: true } && IsHeard(other, now)",
                    "IsHeard(other, now)"),
            ],
        },
    ];
}
