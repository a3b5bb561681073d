using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership.Server;

/// <summary>A view that a sender waits for, as in its last report; kept by <see cref="ReachabilityMonitor"/>.</summary>
/// <param name="draining">The view's entry in the report.</param>
/// <param name="stuckSince">Time since which no feedback has come from the view.</param>
/// <param name="since">The same, with no other node at fault.</param>
internal sealed class ReachDrain(in DrainingView draining, Instant stuckSince, Instant since)
{
    /// <summary>The number of the view.</summary>
    public ViewNumber View { get; } = draining.View;

    /// <summary>Number of times that feedback has come from the view.</summary>
    public ulong Heard { get; } = draining.Heard;

    /// <summary>True when another view has answered the sender since.</summary>
    public bool IsAnsweredElsewhere { get; } = draining.IsAnsweredElsewhere;

    /// <summary>Time since which no feedback has come from the view, nor a member of it was removed.</summary>
    public Instant StuckSince { get; private set; } = stuckSince;

    /// <summary>Time since which that is so with no other node at fault.</summary>
    public Instant Since { get; private set; } = since;

    /// <summary>A member is removed: it may have been at fault.</summary>
    public void BeginAgain(Instant now)
    {
        StuckSince = now;
        Since = now;
    }
}
