using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Delivery;
using QuickSilver.Protocol.Dissemination.Sending;
using QuickSilver.Protocol.Dissemination.Streams;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Recovery;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Stack;

/// <summary>Passes one room's events to a later room: a room never calls a later room.</summary>
internal sealed class NodeWiring(StackParts rooms) : IDisseminationEvents, IRecoveryEvents
{
    /// <inheritdoc/>
    public void OnStreamAdvanced(StreamSender stream, FeedbackUrgency urgency, Instant now) =>
        rooms.Views.FindRegion(stream.View)?.Own.OnAdvanced(stream, urgency, now);

    /// <inheritdoc/>
    public void OnDone(RegionView view, Instant now) => rooms.Agent.ReportDone(view.Number);

    /// <inheritdoc/>
    public void OnCarrierChanged(NodeInfo member, CarrierChange change, Instant now) =>
        rooms.Host.Upcalls.OnCarrierChanged(member, change, now);

    /// <inheritdoc/>
    public void OnSenderUnheard(NodeInfo sender, Instant now) =>
        rooms.Host.Upcalls.OnCarrierChanged(sender, CarrierChange.SenderUnheard, now);

    /// <inheritdoc/>
    public bool HasRoomFor(int bytes) => rooms.Deliverer.Cap.Allows(bytes);

    /// <inheritdoc/>
    public bool HasRoomFor(RegionView view, NodeInfo sender, ReadOnlySpan<byte> datagram) =>
        rooms.Deliverer.Cap.Allows(view, sender, datagram);

    /// <inheritdoc/>
    public bool TryTakeBeyondCap(RegionView view, NodeInfo sender, ReadOnlySpan<byte> datagram) =>
        rooms.Deliverer.Cap.TryTakeBeyondCap(view, sender, datagram);

    /// <inheritdoc/>
    public bool MayTakeBeyondCap(RegionView view, NodeInfo sender) =>
        rooms.Deliverer.Cap.MayTakeBeyondCap(view, sender);

    /// <inheritdoc/>
    public bool IsWellFormed(RegionView view, ReadOnlySpan<byte> datagram) => Deliverer.IsWellFormed(view, datagram);

    /// <inheritdoc/>
    public void OnPacket(RegionView view, NodeInfo sender, in Slice datagram, Instant now) =>
        rooms.Deliverer.OnPacket(view, sender, datagram, now);

    /// <inheritdoc/>
    public void OnOwnAck(RegionView view, in AckBody ack, Instant now)
    {
        if (rooms.Disseminator.FindStream(view.Number.Tag, view.Number.Counter) is { } stream)
        {
            rooms.Disseminator.OnAck(stream, ack, now);
        }
    }

    /// <inheritdoc/>
    public void OnRoundTold(RegionView view, LagList behind, Instant now) => rooms.Lags.Note(view, behind, now);

    /// <inheritdoc/>
    public void OnPathTold(NodeInfo member, int longest, Instant now)
    {
        rooms.Disseminator.OnPathChanged(member);
        rooms.Host.Upcalls.OnPathTold(member, longest, now);
    }

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

    /// <inheritdoc/>
    public void OnPacketsAbandoned(RegionView view, NodeInfo sender, bool isTail) =>
        rooms.Deliverer.OnPacketsAbandoned(view, sender, isTail);

    /// <inheritdoc/>
    public void OnSenderClosed(NodeInfo sender, Instant now) => rooms.Deliverer.OnSenderClosed(sender, now);
}
