using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership.Server;

/// <summary>A view that a sender waits for, as its last report said; kept by <see cref="ReachabilityMonitor"/>.</summary>
/// <param name="draining">What the report said.</param>
/// <param name="since">Since when no feedback has come from the view, with nobody else to blame.</param>
internal sealed class ReachDrain(in DrainingView draining, Instant since)
{
    /// <summary>The view.</summary>
    public ViewNumber View { get; } = draining.View;

    /// <summary>How often feedback has come from there.</summary>
    public ulong Heard { get; } = draining.Heard;

    /// <summary>True when another view has answered the sender since.</summary>
    public bool IsAnsweredElsewhere { get; } = draining.IsAnsweredElsewhere;

    /// <summary>Since when no feedback has come from the view, with nobody else to blame.</summary>
    public Instant Since { get; set; } = since;
}
