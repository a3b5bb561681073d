using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Dissemination.Sending;
using QuickSilver.Protocol.Dissemination.Streams;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Recovery;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Stack;

/// <summary>Passes the events of sending and recovery on: to the agent, to recovery, and to the host.</summary>
internal sealed class NodeWiring(StackParts rooms) : IDisseminationEvents, IRecoveryEvents
{
    /// <inheritdoc/>
    public void OnStreamAdvanced(StreamSender stream, FeedbackUrgency urgency, Instant now) =>
        rooms.Views.FindRegion(stream.View)?.OnOwnAdvanced(stream, urgency, now);

    /// <inheritdoc/>
    public void OnDone(RegionView view, Instant now) => rooms.Agent.ReportDone(view.Number);

    /// <inheritdoc/>
    public void OnCarrierChanged(NodeInfo member, CarrierChange change, Instant now) =>
        rooms.Host.Upcalls.OnCarrierChanged(member, change, now);

    /// <inheritdoc/>
    public void OnSenderUnheard(NodeInfo sender, Instant now) =>
        rooms.Host.Upcalls.OnCarrierChanged(sender, CarrierChange.SenderUnheard, now);

    /// <inheritdoc/>
    public void OnLagChanged(Instant now) => rooms.Host.Upcalls.OnLagChanged(rooms.Lags.Collect(now), now);

    /// <inheritdoc/>
    public void OnPathTold(NodeInfo member, int longest, Instant now) =>
        rooms.Host.Upcalls.OnPathTold(member, longest, now);

    /// <inheritdoc/>
    public void OnPathFound(NodeInfo from, int longest, int full, Instant now) =>
        rooms.Host.Upcalls.OnPathFound(from, longest, full, now);

    /// <inheritdoc/>
    public void OnPathBlocked(NodeInfo other, bool isInbound, Instant now) =>
        rooms.Host.Upcalls.OnPathBlocked(other, isInbound, now);

    /// <inheritdoc/>
    public void OnRemovalHeard(NodeInfo removed, Instant now) => rooms.Agent.OnRemovalHeard(removed.Number.Key, now);

    /// <inheritdoc/>
    public void OnStreamsClosed(RegionView view, IReadOnlyList<NodeInfo> senders, Instant now) =>
        rooms.Agent.ReportClosed(view.Number, senders);
}
