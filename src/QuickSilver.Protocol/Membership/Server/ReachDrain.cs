using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership.Server;

/// <summary>A view that a sender waits for, as in its last report; kept by <see cref="ReachabilityMonitor"/>.</summary>
/// <param name="draining">The view's entry in the report.</param>
/// <param name="since">Time since which no feedback has come from the view, with no other node at fault.</param>
internal sealed class ReachDrain(in DrainingView draining, Instant since)
{
    /// <summary>The number of the view.</summary>
    public ViewNumber View { get; } = draining.View;

    /// <summary>Number of times that feedback has come from the view.</summary>
    public ulong Heard { get; } = draining.Heard;

    /// <summary>True when another view has answered the sender since.</summary>
    public bool IsAnsweredElsewhere { get; } = draining.IsAnsweredElsewhere;

    /// <summary>Time since which no feedback has come from the view, with no other node at fault.</summary>
    public Instant Since { get; set; } = since;
}
