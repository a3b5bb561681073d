using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Membership.Agent;
using QuickSilver.Protocol.Wire;
using InstalledView = QuickSilver.Protocol.Membership.RegionView;

namespace QuickSilver.Bench;

/// <summary>A node that follows the membership and sends nothing: it is done with a view at once.</summary>
internal sealed class QuietMember : IMembershipLink, IMembershipEvents
{
    private readonly Action<byte[]> _send;
    private readonly HashSet<ViewNumber> _superseded = [];

    /// <summary>Makes a node that is not connected.</summary>
    /// <param name="index">Which of the cluster's nodes it is, from 0.</param>
    /// <param name="heartbeat">Time between its heartbeats.</param>
    /// <param name="alarms">Its timers.</param>
    /// <param name="send">Takes each frame to the server.</param>
    /// <param name="isSecured">True when it gets keys with its views.</param>
    public QuietMember(
        int index, TimeSpan heartbeat, AlarmQueue alarms, Action<byte[]> send, bool isSecured = false)
    {
        _send = send;
        var control = new NetEndpoint(0x0A000001 + (uint)index, 1_000);
        NetEndpoint data = control with { Port = 1_001 };
        var settings = new AgentSettings(
            "default", $"n{index}", 1, control, data, 1 << 20, Multicast: true, heartbeat)
        {
            IsSecured = isSecured,
        };
        Agent = new MembershipAgent(settings, this, this, alarms);
    }

    public MembershipAgent Agent { get; }

    public void Send(ReadOnlySpan<byte> frame) => _send(frame.ToArray());

    public void OnStepInstalled(InstalledStep step, Instant now)
    {
        foreach (InstalledView view in step.Superseded) _superseded.Add(view.Number);
        foreach (InstalledView view in step.Opened) _superseded.Remove(view.Number);
    }

    public void OnStepActivated(StepNumber step, Instant now)
    {
        Agent.ReportSwitched(step);
        foreach (ViewNumber view in _superseded.Order()) Agent.ReportDone(view);
        _superseded.Clear();
    }

    public void OnRegistered(NodeInfo self, ulong clusterInstance, Instant now)
    {
    }

    public void OnStepSettled(StepNumber step, Instant now)
    {
    }

    public void OnViewRetired(InstalledView view, Instant now)
    {
    }

    public void OnNodesRemoved(IReadOnlyList<NodeInfo> nodes, Instant now)
    {
    }

    public void OnRemovalConfirmed(NodeInfo node, Instant now)
    {
    }

    public void OnJoinRefused(string groupName, MembershipRefusal reason, Instant now) =>
        throw new InvalidOperationException($"The server refused {groupName}: {reason}.");

    public void OnGroupsForgotten(IReadOnlyList<GroupId> groups, Instant now)
    {
    }

    public void OnObserving(NodeObservations observed, Instant now)
    {
    }

    public void OnConnectionChanged(bool connected, Instant now)
    {
    }

    public void OnExpelled(MembershipRefusal reason, Instant now) =>
        throw new InvalidOperationException($"The server expelled a node: {reason}.");
}
