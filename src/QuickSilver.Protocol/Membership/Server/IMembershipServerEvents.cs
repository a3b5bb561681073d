using QuickSilver.Protocol.Core;

namespace QuickSilver.Protocol.Membership.Server;

/// <summary>
/// Events of a membership server for its operators. Called from inside its methods and alarms; must not call back.
/// </summary>
internal interface IMembershipServerEvents
{
    /// <summary>
    /// The server holds, or has stopped (<see cref="HoldReason.None"/>, once). Repeated every few seconds while the
    /// hold lasts.
    /// </summary>
    void OnHold(string clusterName, MembershipHold hold, Instant now);
}
