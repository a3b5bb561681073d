using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Membership.Agent;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Membership;

/// <summary>
/// A node as membership sees it: switches when told, is done with a view some time after its permission to send there
/// ended, and keeps book of what it was told.
/// </summary>
internal sealed class WorldNode : IMembershipLink, IMembershipEvents
{
    private readonly MembershipWorld _world;
    private readonly HashSet<ViewNumber> _undone = [];
    private readonly HashSet<ViewNumber> _known = [];
    private readonly HashSet<ViewNumber> _member = [];
    private readonly Dictionary<ViewNumber, RegionView> _views = [];
    private readonly List<(ViewNumber View, NodeInfo Sender)> _open = [];
    private StepNumber _switched;
    private GroupId? _statistics;

    public WorldNode(MembershipWorld world, AgentSettings settings)
    {
        _world = world;
        Name = settings.NodeName;
        Incarnation = settings.Incarnation;
        Agent = new MembershipAgent(settings, this, this, world.Alarms);
    }

    public string Name { get; }

    public ulong Incarnation { get; }

    public MembershipAgent Agent { get; }

    public long? Connection { get; set; }

    public HashSet<string> Wanted { get; } = new(StringComparer.Ordinal);

    public Dictionary<string, GroupInfo> Groups { get; } = new(StringComparer.Ordinal);

    public List<InstalledStep> Steps { get; } = [];

    public List<StepNumber> Activated { get; } = [];

    public List<StepNumber> Settled { get; } = [];

    public List<RegionView> Retired { get; } = [];

    public List<NodeInfo> Removed { get; } = [];

    public List<(string Name, MembershipRefusal Reason)> Refused { get; } = [];

    public List<GroupId> Forgotten { get; } = [];

    public List<bool> Connections { get; } = [];

    /// <summary>What it was told of monitors, in order.</summary>
    public List<bool> Monitored { get; } = [];

    public MembershipRefusal? Expelled { get; private set; }

    public ulong Instance { get; private set; }

    public Epoch GroupEpoch => Groups.Values.First().Id.Epoch;

    public bool IsGone { get; private set; }

    public long BytesReceived { get; set; }

    /// <summary>Does not acknowledge that its senders have switched.</summary>
    public bool HoldsSwitch { get; set; }

    /// <summary>Is never done with a view.</summary>
    public bool HoldsDone { get; set; }

    /// <summary>Closes no stream of a removed node.</summary>
    public bool HoldsClosed { get; set; }

    /// <summary>Sends nothing, over a connection that stands.</summary>
    public bool IsMute { get; set; }

    /// <summary>Longest time from the switch to a step to being done with the views that it ended.</summary>
    public TimeSpan MaxDrain { get; set; } = TimeSpan.FromMilliseconds(5);

    public bool IsLive => !IsGone && Expelled is null;

    public IReadOnlyCollection<ViewNumber> KnownViews => _known;

    public IEnumerable<ViewNumber> Undone => _undone.Order();

    public void Join(params IEnumerable<string> names)
    {
        string[] all = [.. names];
        Wanted.UnionWith(all);
        Agent.RequestJoin(all, static _ => 0, _world.Now);
    }

    public void Leave(params IEnumerable<string> names)
    {
        string[] all = [.. names];
        Wanted.ExceptWith(all);
        Agent.RequestLeave([.. all.Select(name => Groups[name].Id)], _world.Now);
    }

    public void Goodbye()
    {
        IsGone = true;
        Agent.SayGoodbye();
    }

    /// <summary>Dies silently.</summary>
    public void Crash()
    {
        IsGone = true;
        _world.Break(this);
    }

    public void SendHeldReports()
    {
        HoldsSwitch = false;
        HoldsDone = false;
        HoldsClosed = false;
        foreach ((ViewNumber view, NodeInfo sender) in _open.ToArray()) Close(view, sender);
        if (Activated.Count > 0) Switch(Activated[^1]);
    }

    public void Send(ReadOnlySpan<byte> frame)
    {
        if (!IsMute) _world.SendToServer(this, frame);
    }

    public void OnRegistered(NodeInfo self, ulong clusterInstance, Instant now) => Instance = clusterInstance;

    public void OnStepInstalled(InstalledStep step, Instant now)
    {
        bool isFirstOfEpoch = Steps.Count > 0 && Steps[^1].Number.Epoch != step.Number.Epoch;
        if (isFirstOfEpoch) Assert.True(Steps[^1].Number < step.Number);
        else if (Steps.Count > 0) Assert.Equal(Steps[^1].Number.Counter + 1, step.Number.Counter);
        Assert.Equal(step.Number, Agent.Cluster.Installed);
        Steps.Add(step);
        HashSet<GroupInfo> left = [.. step.Left];
        HashSet<GroupInfo> changed = [.. step.Changed];
        foreach (GroupInfo group in step.Left)
            Assert.True(Groups.Remove(group.Name), $"{Name} left {group.Name} twice");
        foreach (GroupInfo group in step.Joined)
        {
            Assert.False(left.Contains(group), $"{Name} leaves and joins {group.Name} in one step");
            Assert.True(changed.Contains(group), $"{Name} joined {group.Name}, which did not change");
            Groups.Add(group.Name, group);
        }
        foreach (RegionView view in step.Superseded)
        {
            Assert.Contains(view.Number, _known);
            Assert.True(_undone.Add(view.Number), $"{Name}: {view} was superseded already");
        }
        foreach (RegionView view in step.Opened)
        {
            _known.Add(view.Number);
            _views[view.Number] = view;
            if (view.IndexOf(Agent.Cluster.Self!.Number.Key) >= 0) _member.Add(view.Number);
            _undone.Remove(view.Number);
        }
        foreach (GroupInfo group in step.Ceased)
        {
            if (StatisticsGroup.Is(group.Name)) _statistics = null;
        }
        foreach (GroupInfo group in step.Published)
        {
            if (!StatisticsGroup.Is(group.Name)) continue;
            _statistics = group.Id;
            if (PublishesStatistics && !Monitored[^1]) Agent.RequestCease([group.Id], now);
        }
        _world.CheckInstalled(this, step);
    }

    public void OnStepActivated(StepNumber step, Instant now)
    {
        Assert.Equal(Agent.Cluster.Installed, step);
        Activated.Add(step);
        if (!HoldsSwitch) Switch(step);
    }

    public void OnStepSettled(StepNumber step, Instant now) => Settled.Add(step);

    public void OnViewRetired(RegionView view, Instant now)
    {
        Assert.True(_known.Remove(view.Number), $"{Name} does not know {view}, which retires");
        Assert.DoesNotContain(view.Number, _undone);

        // A removed node may never have been permitted in the view.
        Assert.DoesNotContain(_open, open => open.View == view.Number && _world.HasKnown(open.Sender, view));
        _open.RemoveAll(open => open.View == view.Number);
        _member.Remove(view.Number);
        _views.Remove(view.Number);
        Retired.Add(view);
    }

    /// <summary>True when the view has been opened here.</summary>
    public bool HasKnown(RegionView view) => _views.ContainsKey(view.Number);

    /// <summary>Publishes statistics while it is told of a monitor, as a node does.</summary>
    public bool PublishesStatistics { get; set; }

    public void OnMonitored(bool isOpen, Instant now)
    {
        Monitored.Add(isOpen);
        if (!PublishesStatistics) return;
        if (isOpen) Agent.RequestPublish([StatisticsGroup.Name], static _ => GroupModes.Reliable, now);
        else if (_statistics is { } group) Agent.RequestCease([group], now);
    }

    public void OnNodesRemoved(IReadOnlyList<NodeInfo> nodes, Instant now) => Removed.AddRange(nodes);

    public void OnRemovalConfirmed(NodeInfo node, Instant now)
    {
        foreach (ViewNumber view in _member.Order())
        {
            _open.Add((view, node));
            if (!HoldsClosed) _world.After(_world.Random.NextBelow(MaxDrain), () => Close(view, node));
        }
    }

    public void OnGroupsForgotten(IReadOnlyList<GroupId> groups, Instant now)
    {
        foreach (GroupId group in groups)
        {
            Assert.DoesNotContain(group, Groups.Values.Select(known => known.Id));
            Assert.DoesNotContain(_views.Values, view => _known.Contains(view.Number) && view.Region.Contains(group));
            Forgotten.Add(group);
        }
    }

    public void OnJoinRefused(string groupName, MembershipRefusal reason, Instant now)
    {
        Wanted.Remove(groupName);
        Refused.Add((groupName, reason));
    }

    public void OnPublishRefused(string groupName, MembershipRefusal reason, Instant now) =>
        Refused.Add((groupName, reason));

    /// <summary>Fills in what the node says of others.</summary>
    public Action<NodeObservations, Instant>? Observing { get; set; }

    public void OnObserving(NodeObservations observed, Instant now) => Observing?.Invoke(observed, now);

    public void OnConnectionChanged(bool connected, Instant now) => Connections.Add(connected);

    /// <summary>What the server said last of its holding back.</summary>
    public MembershipHold Hold { get; private set; } = MembershipHold.None;

    public void OnHold(MembershipHold hold, Instant now) => Hold = hold;

    public void OnExpelled(MembershipRefusal reason, Instant now) => Expelled = reason;

    private void Close(ViewNumber view, NodeInfo sender)
    {
        if (IsLive && _open.Remove((view, sender))) Agent.ReportClosed(view, [sender]);
    }

    private void Switch(StepNumber step)
    {
        _switched = step;
        Agent.ReportSwitched(step);
        if (HoldsDone) return;
        foreach (ViewNumber view in _undone.Order())
        {
            _world.After(_world.Random.NextBelow(MaxDrain), () =>
            {
                if (IsLive && _switched >= step && _undone.Remove(view)) Agent.ReportDone(view);
            });
        }
    }
}
