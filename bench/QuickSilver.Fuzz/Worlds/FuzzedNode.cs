using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Membership.Agent;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Fuzz.Worlds;

/// <summary>The rest of a node around a real membership agent: switches when it is told to, and is done at once with
/// what it may not use any more.</summary>
/// <param name="number">Which node of the world.</param>
/// <param name="send">Takes frames for the server.</param>
internal sealed class FuzzedNode(int number, Action<FuzzedNode, byte[]> send) : IMembershipLink, IMembershipEvents
{
    private readonly HashSet<ViewNumber> _undone = [];
    private readonly HashSet<ViewNumber> _own = [];
    private readonly Dictionary<string, GroupInfo> _groups = new(StringComparer.Ordinal);

    /// <summary>Which node of the world.</summary>
    public int Number => number;

    /// <summary>The agent; a new one after each end.</summary>
    public MembershipAgent Agent { get; private set; } = null!;

    /// <summary>Its connection.</summary>
    public long Connection { get; private set; }

    /// <summary>True once the agent has come to its end.</summary>
    public bool IsExpelled { get; private set; }

    /// <summary>Groups it is in.</summary>
    public IReadOnlyCollection<GroupInfo> Groups => _groups.Values;

    /// <summary>Begins a life: a new agent, over a new connection.</summary>
    public void Begin(AgentSettings settings, long connection, AlarmQueue alarms)
    {
        _undone.Clear();
        _own.Clear();
        _groups.Clear();
        IsExpelled = false;
        Connection = connection;
        Agent = new MembershipAgent(settings, this, this, alarms);
        Agent.OnConnected();
    }

    /// <inheritdoc/>
    public void Send(ReadOnlySpan<byte> frame) => send(this, frame.ToArray());

    /// <inheritdoc/>
    public void OnRegistered(NodeInfo self, ulong clusterInstance, Instant now)
    {
        // The world asks the agent.
    }

    /// <inheritdoc/>
    public void OnStepInstalled(InstalledStep step, Instant now)
    {
        foreach (GroupInfo group in step.Left) _groups.Remove(group.Name);
        foreach (GroupInfo group in step.Joined) _groups[group.Name] = group;
        foreach (Protocol.Membership.RegionView view in step.Superseded) _undone.Add(view.Number);
        foreach (Protocol.Membership.RegionView view in step.Opened) _undone.Remove(view.Number);
        if (step.Own is { } own) _own.Add(own.Number);
    }

    /// <inheritdoc/>
    public void OnStepActivated(StepNumber step, Instant now)
    {
        Agent.ReportSwitched(step);
        foreach (ViewNumber view in _undone.Order().ToArray()) Agent.ReportDone(view);
        _undone.Clear();
    }

    /// <inheritdoc/>
    public void OnStepSettled(StepNumber step, Instant now)
    {
        // Nobody waits for a join.
    }

    /// <inheritdoc/>
    public void OnViewRetired(Protocol.Membership.RegionView view, Instant now)
    {
        _undone.Remove(view.Number);
        _own.Remove(view.Number);
    }

    /// <inheritdoc/>
    public void OnNodesRemoved(IReadOnlyList<NodeInfo> nodes, Instant now)
    {
        // There is no traffic to ignore.
    }

    /// <inheritdoc/>
    public void OnRemovalConfirmed(NodeInfo node, Instant now)
    {
        // It never sent anything, so there is nothing to wait for.
        foreach (ViewNumber view in _own.Order().ToArray()) Agent.ReportClosed(view, [node]);
    }

    /// <inheritdoc/>
    public void OnGroupsForgotten(IReadOnlyList<GroupId> groups, Instant now)
    {
    }

    public void OnJoinRefused(string groupName, MembershipRefusal reason, Instant now)
    {
        // Nobody waits for a join.
    }

    /// <inheritdoc/>
    public void OnObserving(NodeObservations observed, Instant now)
    {
        // There is no ring to look at.
    }

    /// <inheritdoc/>
    public void OnConnectionChanged(bool connected, Instant now)
    {
        // The world makes and breaks the connections.
    }

    /// <inheritdoc/>
    public void OnExpelled(MembershipRefusal reason, Instant now) => IsExpelled = true;
}
