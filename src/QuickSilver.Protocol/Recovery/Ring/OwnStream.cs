using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Probing;
using QuickSilver.Protocol.Recovery.Reception;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Recovery.Ring;

/// <summary>
/// This node's own stream as the ring of its region sees it: its sender can be told directly what is stable. Core
/// thread only.
/// </summary>
internal sealed class OwnStream(RecoveryContext node, RegionState region)
{
    /// <summary>
    /// A new leader reports what the failed one announced. That may have told the members that this node's stream is
    /// stable, and not this node. Normally its beacons would prompt the new leader to repeat it. A leader does not
    /// receive its own beacons.
    /// </summary>
    public void ReportStable(Instant now)
    {
        if (region.Streams.Met(node.SelfKey) is { } stream && ReportStable(stream, now))
            node.Probes.Reached("a new leader is the sender of a stream found stable before");
    }

    /// <summary>
    /// Reports to this node's own stream what a token, or the previous leader, has announced as stable, unless feedback
    /// did. The feedback was lost, or the way from the leader is broken.
    /// </summary>
    /// <param name="stream">A stream; nothing is reported unless it is this node's own.</param>
    /// <param name="now">The present instant.</param>
    /// <returns>True when there was something to report.</returns>
    public bool ReportStable(StreamReceiver stream, Instant now)
    {
        if (stream.Own is not { } own || stream.Cleanup <= own.Stable) return false;
        node.Acknowledge(region.View, new AckBody(stream.Cleanup, stream.Cleanup, stream.Cleanup, 1, 0), now);
        return true;
    }
}
