using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership.Frames;
using QuickSilver.Protocol.Probing;
using QuickSilver.Protocol.Security;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership.Agent;

/// <summary>
/// Applies the server's frames of an open session. Each frame is read as a whole, applied to the cluster as known here,
/// and then raised as an event if it changes anything. The agent itself handles registration, takeover and expulsion.
/// <para>
/// Descriptions come first and raise no event. The step that commits them does, and is confirmed to the server after
/// the event has returned: "installed" means that the whole node acts by it. An event may end the session; then nothing
/// further is sent or raised.
/// </para>
/// <para>
/// Core thread only. Its cost is that of the step; messages do not pass here.
/// </para>
/// </summary>
internal sealed class AgentNews(
    AgentCluster cluster,
    AgentRequests requests,
    AgentSession session,
    IMembershipEvents events,
    AgentSettings settings)
{
    private readonly FrameBuilder _frame = new();
    private readonly Probes _probes = settings.Probes;
    private List<KeysFrame.Entry>? _keys;

    /// <summary>The last step that the server allowed this node to send in; none before the first.</summary>
    public StepNumber Activated { get; private set; }

    /// <inheritdoc cref="MembershipAgent.JoinsWaitFor"/>
    public JoinWait? JoinsWaitFor { get; private set; }

    /// <summary>Takes a frame of an open session.</summary>
    /// <param name="kind">The kind of the frame, its first byte.</param>
    /// <param name="reader">Reads the body.</param>
    /// <param name="now">The time of arrival.</param>
    /// <returns>False when the frame is malformed, impossible, or of a kind that only nodes send: then the server
    /// cannot be trusted.</returns>
    public bool TryTake(FrameKind kind, ref WireReader reader, Instant now) => kind switch
    {
        FrameKind.Waiting => OnWaiting(ref reader),
        FrameKind.Hold => OnHold(ref reader, now),
        FrameKind.Nodes => OnNodes(ref reader),
        FrameKind.Groups => OnGroups(ref reader),
        FrameKind.Regions => OnRegions(ref reader),
        FrameKind.Step => OnStep(ref reader, now),
        FrameKind.Activate => OnActivate(ref reader, now),
        FrameKind.Settled => OnSettled(ref reader, now),
        FrameKind.Retired => OnRetired(ref reader, now),
        FrameKind.NodeRemoved => OnNodeRemoved(ref reader, now),
        FrameKind.JoinRefused => OnJoinRefused(ref reader, false, now),
        FrameKind.PublishRefused => OnJoinRefused(ref reader, true, now),
        FrameKind.GroupsForgotten => OnGroupsForgotten(ref reader, now),
        FrameKind.Keys => OnKeys(ref reader),
        FrameKind.Monitored => OnMonitored(ref reader, now),
        _ => false,
    };

    /// <summary>The node is to register as if for the first time: no step is active.</summary>
    public void OnForgotten()
    {
        Activated = default;
        DropKeys();
    }

    /// <summary>The server is another: what the former one told of its next step is void.</summary>
    public void DropKeys() => _keys = null;

    private bool OnWaiting(ref WireReader reader)
    {
        JoinsWaitFor = WaitingFrame.TryRead(ref reader);
        return JoinsWaitFor is not null;
    }

    private bool OnHold(ref WireReader reader, Instant now)
    {
        if (HoldFrame.TryRead(ref reader) is not { } hold) return false;
        events.OnHold(hold, now);
        return true;
    }

    private bool OnMonitored(ref WireReader reader, Instant now)
    {
        bool isOpen = FrameFields.ReadFlag(ref reader);
        if (!reader.IsAtEnd || !settings.TakesMonitored) return false;
        events.OnMonitored(isOpen, now);
        return true;
    }

    private bool OnNodes(ref WireReader reader)
    {
        if (NodeFrame.TryRead(ref reader) is not { } nodes) return false;
        cluster.Describe(nodes);
        return true;
    }

    private bool OnGroups(ref WireReader reader)
    {
        if (GroupFrame.TryRead(ref reader, cluster.GroupEpoch) is not { } groups) return false;
        for (int index = 0; index < groups.Count; index++)
        {
            GroupInfo group = groups[index];
            groups[index] = group with { Name = requests.Shared(group.Name) };
        }
        cluster.Describe(groups);
        return true;
    }

    private bool OnRegions(ref WireReader reader)
    {
        if (RegionFrame.TryRead(ref reader) is not { } entries) return false;
        int remaining = RegionFrame.MaxCounters;
        foreach (RegionFrame.Entry entry in entries)
        {
            if (!cluster.TryDescribe(entry, ref remaining)) return false;
        }
        return true;
    }

    private bool OnStep(ref WireReader reader, Instant now)
    {
        if (StepFrame.TryRead(ref reader) is not { } frame) return false;
        if (!frame.IsConcerned) _probes.Reached("a node gets a step that does not concern it");
        if (cluster.Install(frame) is not { } installed) return false;
        if (!TakeKeys(installed)) return false;
        requests.OnStepInstalled(installed);
        events.OnStepInstalled(installed, now);
        if (!session.IsOver) ConfirmInstalled(frame.Step);
        return true;
    }

    private bool OnKeys(ref WireReader reader)
    {
        bool isExpected = settings.IsSecured && _keys is null;
        _keys = KeysFrame.TryRead(ref reader);
        return isExpected && _keys is not null;
    }

    // Each opened view has keys, of the form that fits this node's place in it, and a cipher that this node has.
    private bool TakeKeys(InstalledStep installed)
    {
        List<KeysFrame.Entry> keys = _keys ?? [];
        _keys = null;
        if (!settings.IsSecured) return true;
        if (keys.Count != installed.Opened.Count) return false;
        var secrets = new ViewSecret[keys.Count];
        for (int index = 0; index < secrets.Length; index++)
        {
            RegionView view = installed.Opened[index];
            bool isMember = view.IndexOf(cluster.Self!.Number.Key) >= 0;
            secrets[index] = keys[index].Secret;
            if (keys[index].View != view.Number.Counter || secrets[index].IsMembers != isMember) return false;
            if (!settings.Ciphers.Contains(secrets[index].Cipher)) return false;
        }
        installed.Secrets = secrets;
        return true;
    }

    private bool OnActivate(ref WireReader reader, Instant now)
    {
        ulong step = reader.ReadVarint();
        if (!reader.IsAtEnd || step != cluster.Installed.Counter) return false;
        Activated = cluster.Installed;
        events.OnStepActivated(cluster.Installed, now);
        return true;
    }

    private bool OnSettled(ref WireReader reader, Instant now)
    {
        ulong step = reader.ReadVarint();
        StepNumber installed = cluster.Installed;
        if (!reader.IsAtEnd || step == 0 || step > installed.Counter) return false;
        JoinsWaitFor = null;
        events.OnStepSettled(new StepNumber(installed.Epoch, step), now);
        return true;
    }

    private bool OnRetired(ref WireReader reader, Instant now)
    {
        var view = new ViewNumber(FrameFields.ReadEpoch(ref reader), FrameFields.ReadCounter(ref reader));
        if (!reader.IsAtEnd || cluster.Retire(view) is not { } retired) return false;
        events.OnViewRetired(retired, now);
        return true;
    }

    private bool OnNodeRemoved(ref WireReader reader, Instant now)
    {
        ulong key = FrameFields.ReadKey(ref reader);
        var reason = (MembershipRefusal)reader.ReadByte();
        if (!reader.IsAtEnd) return false;
        if (cluster.Remove(key, isConfirmed: true, out bool isNews) is not { } node) return true;
        _probes.Reached("a node is told of another's removal");
        if (isNews) events.OnNodesRemoved([node], now);
        if (reason == MembershipRefusal.TooSlow && !session.IsOver) events.OnMemberShed(node, now);
        if (!session.IsOver) events.OnRemovalConfirmed(node, now);
        return true;
    }

    private bool OnJoinRefused(ref WireReader reader, bool isPublisher, Instant now)
    {
        var reason = (MembershipRefusal)reader.ReadByte();
        string name = FrameFields.ReadText(ref reader, FrameFields.MaxRequestedNameBytes);
        if (!reader.IsAtEnd || !Enum.IsDefined(reason)) return false;
        requests.OnRefused(name, isPublisher);
        if (isPublisher) events.OnPublishRefused(name, reason, now);
        else events.OnJoinRefused(name, reason, now);
        return true;
    }

    private bool OnGroupsForgotten(ref WireReader reader, Instant now)
    {
        uint[] counters = CounterRuns.Read(ref reader);
        if (!reader.IsAtEnd || reader.Failed) return false;
        var groups = new GroupId[counters.Length];
        for (int index = 0; index < groups.Length; index++)
        {
            groups[index] = new GroupId(cluster.GroupEpoch, counters[index]);
            if (cluster.Knows(groups[index])) return false;
        }
        events.OnGroupsForgotten(groups, now);
        return true;
    }

    private void ConfirmInstalled(ulong step) =>
        session.Send(_frame.Begin(FrameKind.Installed).WriteVarint(step).WriteVarint(session.Received).ToArray());
}
