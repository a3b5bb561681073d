using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Dissemination.Streams;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Recovery.Regions;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Stack;

/// <summary>
/// Passes the datagrams of the control socket to their rooms: tokens and pulls to the region, feedback to the stream,
/// measurements of paths to those who made them. It checks that a member of the view has sent them. Core thread only.
/// </summary>
internal sealed class ControlRouter(StackParts rooms)
{
    private readonly LagList _behind = new();

    /// <summary>Passes a datagram of a control kind to its room.</summary>
    /// <param name="header">Its header.</param>
    /// <param name="body">Its bytes after the header.</param>
    /// <param name="arrival">Its source; its socket is that for control.</param>
    /// <param name="now">The time of arrival.</param>
    /// <returns>The reason it was dropped, or <see cref="RejectReason.None"/>.</returns>
    public RejectReason Route(
        in DatagramHeader header, ReadOnlySpan<byte> body, in Arrival arrival, Instant now)
    {
        if (header.Kind == DatagramKind.PathQuery) return RoutePathQuery(header, body, arrival, now);
        if (header.Kind == DatagramKind.PathAnswer)
        {
            return rooms.Recoverer.Inbound.OnAnswer(header, body, arrival, now);
        }
        if (DatagramKinds.IsFeedback(header.Kind)) return RouteFeedback(header, body, arrival, now);
        RegionRecovery? region = rooms.Recoverer.Find(header.ViewTag, header.ViewCounter);
        if (region is null) return RejectReason.UnknownView;
        int member = region.View.IndexOf(header.Sender);
        if (member < 0) return RejectReason.UnknownSender;
        if (!region.View.Members[member].MaySend(header.Kind, arrival)) return RejectReason.WrongSource;
        return header.Kind switch
        {
            DatagramKind.Token => region.OnToken(header, body, now),
            DatagramKind.TokenAck => region.OnTokenAck(header, body, now),
            _ => region.OnPull(header, body, now),
        };
    }

    // The asker is in a view that this node sends to, or in one that both are in.
    private RejectReason RoutePathQuery(
        in DatagramHeader header, ReadOnlySpan<byte> body, in Arrival arrival, Instant now)
    {
        RegionView? view = rooms.Disseminator.FindStream(header.ViewTag, header.ViewCounter)?.View
            ?? rooms.Recoverer.Find(header.ViewTag, header.ViewCounter)?.View;
        if (view is null) return RejectReason.UnknownView;
        int member = view.IndexOf(header.Sender);
        if (member < 0) return RejectReason.UnknownSender;
        if (!view.Members[member].MaySend(header.Kind, arrival)) return RejectReason.WrongSource;
        if (view.Members[member].IsRemoved) return RejectReason.RemovedSender;
        if (header.Sequence != rooms.SelfKey) return RejectReason.NeverSent;
        if (!PathQueryBody.TryRead(body, out PathQueryBody query)) return RejectReason.Malformed;
        return rooms.Recoverer.Echo.OnQuery(view, view.Members[member], query, now);
    }

    private RejectReason RouteFeedback(
        in DatagramHeader header, ReadOnlySpan<byte> body, in Arrival arrival, Instant now)
    {
        StreamSender? stream = rooms.Disseminator.FindStream(header.ViewTag, header.ViewCounter);
        if (stream is null) return RejectReason.UnknownView;
        int member = stream.View.IndexOf(header.Sender);
        if (member < 0) return RejectReason.UnknownSender;
        NodeInfo node = stream.View.Members[member];
        if (!node.MaySend(header.Kind, arrival)) return RejectReason.WrongSource;
        if (node.IsRemoved) return RejectReason.RemovedSender;
        if (header.Sequence != rooms.SelfKey) return RejectReason.NeverSent;
        if (header.Kind == DatagramKind.Ack)
        {
            if (!AckBody.TryRead(body, stream.View.Members.Length, _behind, out AckBody ack))
            {
                return RejectReason.Malformed;
            }
            if (!rooms.Disseminator.OnAck(stream, ack, now)) return RejectReason.NeverSent;
            rooms.Lags.Note(stream.View, _behind, now);
            return RejectReason.None;
        }
        if (header.Kind == DatagramKind.CarrierWord)
        {
            if (!CarrierWordBody.TryRead(body, out CarrierWordBody word)) return RejectReason.Malformed;
            rooms.Disseminator.OnCarrierWord(stream, member, word, now);
            return RejectReason.None;
        }
        if (!NakBody.TryRead(body, out NakBody nak)) return RejectReason.Malformed;
        return rooms.Disseminator.OnNak(stream, nak, node, now) ? RejectReason.None : RejectReason.NeverSent;
    }
}
