using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Dissemination.Streams;

/// <summary>
/// Receives dissemination's events for the rest of its node. Core thread only. The implementation may call back (signal
/// a source): calls made inside take effect when the outer one ends.
/// </summary>
internal interface IDisseminationEvents
{
    /// <summary>
    /// Packets were sent for the first time, so that <see cref="StreamSender.Highest"/> has risen; or, after a silence,
    /// it was announced again. This node does not hear itself: the urgency is the one that its datagrams carry to the
    /// others.
    /// </summary>
    void OnStreamAdvanced(StreamSender stream, FeedbackUrgency urgency, Instant now);

    /// <summary>
    /// All messages bound to a superseded view are numbered, sent and stable, and nothing more will be bound to it.
    /// </summary>
    void OnDone(RegionView view, Instant now);

    /// <summary>This node's streams carry a member in another way from now on.</summary>
    void OnCarrierChanged(NodeInfo member, CarrierChange change, Instant now);
}
