using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;

namespace QuickSilver.Protocol.Dissemination.Streams;

/// <summary>
/// The end of a stream: a step has superseded its view. Once nothing of it is left to send or unstable, the node is
/// done with the view and reports it, once. The view may be opened again at any time.
/// </summary>
internal sealed class StreamEnd(StreamContext context, RegionView view)
{
    private bool _reportedDone;

    /// <summary>True from the step that supersedes the view until it is opened again.</summary>
    public bool HasBegun { get; private set; }

    /// <summary>True until this node is done with the view.</summary>
    public bool IsUnderWay => HasBegun && !_reportedDone;

    /// <summary>A step supersedes the view.</summary>
    /// <param name="isSent">True when all messages bound to it are sent.</param>
    /// <param name="isStable">True when all that was sent is stable.</param>
    public void Begin(bool isSent, bool isStable)
    {
        HasBegun = true;
        _reportedDone = false;
        context.Send.Settings.Probes.Reached(
            !isSent ? "a view is superseded before all that is bound to it is sent"
                : !isStable ? "a view is superseded before all that was sent there is stable"
                : "a view is superseded when all is stable");
    }

    /// <summary>The view is open again: the node is not done with it.</summary>
    public void Undo()
    {
        if (HasBegun)
            context.Send.Settings.Probes.Reached("a sender may send again in a view in which it ended its stream");
        HasBegun = false;
    }

    /// <summary>Reports that the node is done with the view, if that is so.</summary>
    /// <param name="isDrained">True when nothing is left to send or unstable.</param>
    /// <param name="now">The present instant.</param>
    public void Check(bool isDrained, Instant now)
    {
        if (!IsUnderWay || !isDrained || context.Send.IsClosed) return;
        _reportedDone = true;
        context.Events.OnDone(view, now);
    }
}
